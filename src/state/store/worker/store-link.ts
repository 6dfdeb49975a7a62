import { AppError, type AppErrorCode } from "../../../base/errors.ts";
import { IdTable } from "../../../base/id-table.ts";
import { storeCallMsMax } from "../../../base/limits.ts";
import { SharedDeadline } from "../../../base/shared-deadline.ts";
import { onWorkerEnd } from "../../../base/worker-end.ts";
import { isWrite, type StoreCall } from "../store-methods.ts";
import {
  decodeFromStoreWorker,
  encodeToStoreWorker,
  type FromStoreWorker,
  type ToStoreWorker,
} from "./messages.ts";

/** A value of the store, and what a person must know of the file. */
export interface Stored<Value> {
  readonly value: Value;
  /** Sentences: a damaged file was set aside, the file was replaced. Almost always empty. */
  readonly notices: readonly string[];
}

export interface StoreLinkEvents {
  /** The Worker is gone: it threw, exited or hung. Called once, and not after `close`. */
  onGone(link: StoreLink, reason: string): void;
  onNotice(notice: string): void;
}

interface WaitingCall {
  readonly isWrite: boolean;
  readonly resolve: (stored: Stored<unknown>) => void;
  readonly reject: (error: AppError) => void;
  readonly wait: number;
}

/** One store Worker, as the main thread sees it, and the requests that it owes an answer. */
export class StoreLink {
  readonly #worker: Worker;
  readonly #events: StoreLinkEvents;
  readonly #calls = new IdTable<WaitingCall>();
  readonly #deadline: SharedDeadline;
  readonly #isClosed = Promise.withResolvers<void>();
  #isGone = false;

  constructor(
    worker: Worker,
    options: { readonly path: string; readonly busyMsMax: number; readonly callMsMax?: number },
    events: StoreLinkEvents,
  ) {
    const { path, busyMsMax, callMsMax = storeCallMsMax } = options;
    this.#worker = worker;
    this.#events = events;
    this.#deadline = new SharedDeadline(callMsMax);
    worker.onmessage = ({ data }: MessageEvent<string>) => {
      const messages = decodeFromStoreWorker(data);
      // Requests that were done together have the same notices: each of them tells its caller, and stderr has one.
      for (const notice of noticesOf(messages)) events.onNotice(notice);
      for (const message of messages) this.#take(message);
    };
    onWorkerEnd(worker, (reason) => this.#die(reason));
    this.#post({ kind: "open", path, busyMsMax });
  }

  /** @throws AppError as the method does, `system` when the file cannot be used, `worker` when the Worker is lost */
  call(call: StoreCall): Promise<Stored<unknown>> {
    const { promise, resolve, reject } = Promise.withResolvers<Stored<unknown>>();
    const wait = this.#deadline.begin(() => this.#die("it did not answer in time"));
    const id = this.#calls.add({ isWrite: isWrite(call), resolve, reject, wait });
    this.#post({ kind: "call", id, call });
    return promise;
  }

  /** Ends the Worker after what it was asked for, in `msMax` at most. */
  async close(msMax: number): Promise<void> {
    if (this.#isGone) return;
    this.#post({ kind: "close" });
    const timer = setTimeout(this.#isClosed.resolve, msMax);
    await this.#isClosed.promise;
    clearTimeout(timer);
    this.#end("the server is shutting down");
  }

  #take(message: FromStoreWorker): void {
    if (message.kind === "closed") return this.#isClosed.resolve();
    const call = this.#calls.get(message.id);
    if (call === undefined) return;
    this.#forget(message.id, call);
    if (message.kind === "done") {
      call.resolve({ value: message.value, notices: message.notices });
      return;
    }
    const text = [message.message, ...message.notices].join(" ");
    call.reject(new AppError(message.code as AppErrorCode, text));
  }

  #die(reason: string): void {
    if (this.#isGone) return;
    this.#end(reason);
    this.#events.onGone(this, reason);
  }

  #end(reason: string): void {
    this.#isGone = true;
    this.#isClosed.resolve();
    this.#worker.terminate();
    for (const [id, call] of this.#calls.entries()) {
      this.#forget(id, call);
      call.reject(lostError(reason, call.isWrite));
    }
  }

  #forget(id: number, call: WaitingCall): void {
    this.#calls.delete(id);
    this.#deadline.end(call.wait);
  }

  #post(message: ToStoreWorker): void {
    this.#worker.postMessage(encodeToStoreWorker(message));
  }
}

function noticesOf(messages: readonly FromStoreWorker[]): Set<string> {
  return new Set(messages.flatMap((message) => (message.kind === "closed" ? [] : message.notices)));
}

function lostError(reason: string, isChange: boolean): AppError {
  const outcome = isChange
    ? "The change may or may not have been saved: check before you repeat it."
    : "Try again.";
  return new AppError("worker", `The store was lost: ${reason}. ${outcome}`);
}
