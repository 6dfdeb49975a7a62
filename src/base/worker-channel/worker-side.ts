import { type Abortable, Cancellation } from "../cancellation.ts";
import { routeConsoleToStderr } from "../console.ts";
import { failureOf, messageOf } from "../errors.ts";
import {
  decodeToWorker,
  encodeFromWorker,
  type FromWorker,
  type ToWorker,
} from "./channel-messages.ts";

declare const self: Worker;

/** The work of a Worker, apart from how messages reach it. */
export interface WorkerWork<Call, Post> extends AsyncDisposable {
  /** The value of the reply; one that is `JsonText` is passed on unparsed. @throws AppError, or anything: `system` */
  call(call: Call, id: number, signal: Abortable): Promise<unknown>;
  receive?(post: Post): void;
  /** Nobody waits for this call any more; its signal aborts next. */
  onCancelled?(id: number): void;
  /** Ends everything; calls that still run when it returns are answered all the same. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Everything that the work may do beside replying. */
export interface WorkerHost<Post> {
  post(post: Post): void;
  /** Aborts the calls that run; none of them is answered. */
  cancelCalls(): void;
  /** An error outside of any call. */
  readonly report: (error: unknown) => void;
}

export type OpenWork<Options, Call, ToPost, FromPost> = (
  options: Options,
  host: WorkerHost<FromPost>,
) => WorkerWork<Call, ToPost>;

export interface ServeOptions {
  /** True: an uncaught error is reported and the Worker goes on; false: it ends the Worker. */
  readonly survivesErrors: boolean;
}

/** Characters that are kept of an error of a library; more is its stack or its data. */
const reasonCharsMax = 500;

/** The whole of a Worker: calls run side by side, each says how it ended. `worker-channel.ts` is the other end. */
export function serveChannel<Options, Call, ToPost, FromPost>(
  open: OpenWork<Options, Call, ToPost, FromPost>,
  { survivesErrors }: ServeOptions,
): void {
  routeConsoleToStderr();
  const side = new WorkerSide(open, (text) => self.postMessage(text));
  self.onmessage = ({ data }: MessageEvent<string>): void => side.receive(data);
  if (!survivesErrors) return;
  // A leftover of a library may throw: no call is to blame, and none of them suffers.
  process.on("uncaughtException", side.report);
  process.on("unhandledRejection", side.report);
}

/** The other end of one `WorkerChannel`: work that a Worker does for its main thread, or the hub for one client. */
export class WorkerSide<Options, Call, ToPost, FromPost> implements WorkerHost<FromPost> {
  readonly #open: OpenWork<Options, Call, ToPost, FromPost>;
  readonly #postText: (text: string) => void;
  readonly #calls = new Map<number, Cancellation>();
  #work: WorkerWork<Call, ToPost> | undefined;
  #outgoing: FromWorker<FromPost>[] = [];
  #closing: Promise<void> | undefined;

  constructor(open: OpenWork<Options, Call, ToPost, FromPost>, postText: (text: string) => void) {
    this.#open = open;
    this.#postText = postText;
  }

  /** @throws SyntaxError when the text is not JSON */
  receive(text: string): void {
    const message: ToWorker<Options, Call, ToPost> = decodeToWorker(text);
    switch (message.kind) {
      case "open":
        this.#work = this.#open(message.options, this);
        return;
      case "call":
        return void this.#run(message.id, message.call);
      case "cancel":
        return this.#cancel(message.id);
      case "post":
        return this.#work?.receive?.(message.post);
      case "ping":
        return this.#send({ kind: "pong" });
      case "close":
        return void this.close();
    }
  }

  post(post: FromPost): void {
    this.#send({ kind: "post", post });
  }

  cancelCalls(): void {
    for (const id of this.#calls.keys()) this.#cancel(id);
  }

  readonly report = (error: unknown): void => {
    this.#send({ kind: "mishap", reason: messageOf(error).slice(0, reasonCharsMax) });
  };

  async #run(id: number, call: Call): Promise<void> {
    const cancellation = new Cancellation();
    this.#calls.set(id, cancellation);
    let reply: FromWorker<FromPost>;
    try {
      if (this.#work === undefined) throw new Error("a call came before the options");
      reply = { kind: "done", id, value: await this.#work.call(call, id, cancellation) };
    } catch (error) {
      reply = { kind: "failed", id, ...failureOf(error) };
    }
    // A cancelled call was deleted, and gets no reply.
    if (this.#calls.delete(id)) this.#send(reply);
  }

  #cancel(id: number): void {
    const cancellation = this.#calls.get(id);
    if (!this.#calls.delete(id)) return;
    this.#work?.onCancelled?.(id);
    cancellation?.cancel();
  }

  /** Ends the work, and says so. Idempotent; never rejects. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    try {
      await this.#work?.[Symbol.asyncDispose]();
    } catch (error) {
      this.report(error);
    }
    this.#send({ kind: "closed" });
  }

  /** Messages of one turn go together: the main thread wakes once. */
  #send(message: FromWorker<FromPost>): void {
    if (this.#outgoing.push(message) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const outgoing = this.#outgoing;
    this.#outgoing = [];
    for (const text of encodeFromWorker(outgoing)) this.#postText(text);
  }
}
