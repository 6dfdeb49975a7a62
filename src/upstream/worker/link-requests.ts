import { AppError, type AppErrorCode, messageOf } from "../../base/errors.ts";
import { IdTable } from "../../base/id-table.ts";
import type { JsonText } from "../../base/json-text.ts";
import type { UpstreamCallEvents } from "../upstreams.ts";
import type {
  FromUpstreamWorker,
  LaneEvent,
  ToUpstreamWorker,
  UpstreamRequest,
} from "./messages.ts";

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: AppError) => void;
  readonly release: () => void;
  readonly events: UpstreamCallEvents | undefined;
}

type CallEvent = Exclude<LaneEvent, { kind: "event" }>;

/** What one Worker owes answers to. */
export class LinkRequests {
  readonly #post: (message: ToUpstreamWorker) => void;
  readonly #warn: (message: string) => void;
  readonly #waiting = new IdTable<Waiting>();

  constructor(post: (message: ToUpstreamWorker) => void, warn: (message: string) => void) {
    this.#post = post;
    this.#warn = warn;
  }

  /**
   * The value of the reply; a result as `JsonText`.
   * @throws AppError as the Worker says; `cancelled` at once when `signal` aborts; what `failAll` was given
   */
  ask(
    request: UpstreamRequest,
    signal?: AbortSignal,
    events?: UpstreamCallEvents,
  ): Promise<unknown> {
    if (signal?.aborted === true) return Promise.reject(cancelledError());
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const abort = (): void => {
      this.#post({ kind: "cancel", id });
      this.#settle(id, (waiting) => waiting.reject(cancelledError()));
    };
    const release = (): void => signal?.removeEventListener("abort", abort);
    const id = this.#waiting.add({ resolve, reject, release, events });
    this.#post({ kind: "request", id, request });
    signal?.addEventListener("abort", abort, { once: true });
    return promise;
  }

  onResult(id: number, json: JsonText): void {
    this.#settle(id, ({ resolve }) => resolve(json));
  }

  onReply(id: number, value: unknown): void {
    this.#settle(id, ({ resolve }) => resolve(value));
  }

  onFailed(id: number, code: string, message: string): void {
    this.#settle(id, ({ reject }) => reject(new AppError(code as AppErrorCode, message)));
  }

  onEvent(event: CallEvent): void {
    const events = this.#waiting.get(event.id)?.events;
    try {
      if (event.kind === "log") return events?.log?.(event.level, event.data, event.logger);
      events?.onProgress?.(event.progress, event.total, event.message);
    } catch (error) {
      this.#warn(`internal error: ${messageOf(error)}`);
    }
  }

  async onAsk({ id, askId, request }: Extract<FromUpstreamWorker, { kind: "ask" }>): Promise<void> {
    try {
      const events = this.#waiting.get(id)?.events;
      if (events === undefined) throw new AppError("cancelled", "Nobody waits for this call.");
      this.#post({ kind: "answer", askId, answer: await events.ask(request) });
    } catch (error) {
      const code = error instanceof AppError ? error.code : "system";
      this.#post({ kind: "refusal", askId, code, message: messageOf(error) });
    }
  }

  /** Always answered: the result waits for it. */
  async onKeep({
    id,
    askId,
    output,
  }: Extract<FromUpstreamWorker, { kind: "keep" }>): Promise<void> {
    const events = this.#waiting.get(id)?.events;
    const taskId = await events?.keep?.(output).catch((error: unknown) => {
      this.#warn(`internal error: ${messageOf(error)}`);
      return undefined;
    });
    this.#post({ kind: "answer", askId, answer: { taskId } });
  }

  failAll(error: AppError): void {
    for (const [id] of this.#waiting.entries()) {
      this.#settle(id, ({ reject }) => reject(error));
    }
  }

  #settle(id: number, finish: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    waiting.release();
    finish(waiting);
  }
}

function cancelledError(): AppError {
  return new AppError("cancelled", "The call was cancelled.");
}
