import { AppError, type AppErrorCode } from "../../base/errors.ts";
import { IdTable } from "../../base/id-table.ts";
import type { JsonText } from "../../base/json-text.ts";
import { webCallMsMax } from "../../base/limits.ts";
import { SharedDeadline } from "../../base/shared-deadline.ts";
import { onWorkerEnd } from "../../base/worker-end.ts";
import type { WebOptions } from "../web-options.ts";
import {
  decodeFromWebWorker,
  encodeToWebWorker,
  type FromWebWorker,
  type ToWebWorker,
  type WebMethod,
} from "./messages.ts";

export interface LinkEvents {
  /** The Worker is gone: it threw, exited or hung. Called once, and not after `close`. */
  onGone(link: WebWorkerLink, reason: string): void;
  /** A call has ended, however it ended. */
  onSettled(link: WebWorkerLink): void;
  /** Something threw in the Worker that is no call's fault. */
  onMishap(reason: string): void;
}

/** How often a Worker that owes an answer is asked whether it lives. */
export interface LinkTiming {
  readonly lookMs: number;
  /** Looks that found it silent, in a row, before it is given up. */
  readonly silentLooksMax: number;
}

interface WaitingCall {
  readonly resolve: (value: JsonText) => void;
  readonly reject: (error: AppError) => void;
  readonly release: () => void;
}

/** One web Worker, as the main thread sees it, and the calls that it owes an answer. */
export class WebWorkerLink {
  readonly #worker: Worker;
  readonly #events: LinkEvents;
  readonly #timing: LinkTiming;
  readonly #calls = new IdTable<WaitingCall>();
  readonly #deadline = new SharedDeadline(webCallMsMax);
  readonly #isClosed = Promise.withResolvers<void>();
  #look: ReturnType<typeof setTimeout> | undefined;
  /** Looks, not time: while this thread or the whole machine stands still, no look is missed. */
  #silentLooks = 0;
  #isGone = false;

  constructor(worker: Worker, options: WebOptions, timing: LinkTiming, events: LinkEvents) {
    this.#worker = worker;
    this.#events = events;
    this.#timing = timing;
    worker.onmessage = ({ data }: MessageEvent<string>) => this.#receive(data);
    onWorkerEnd(worker, (reason) => this.#die(reason));
    this.#post({ kind: "open", options });
  }

  /** Calls that wait for an answer. */
  get size(): number {
    return this.#calls.size;
  }

  /**
   * @throws AppError as the method does, `cancelled` at once when `signal` says so, `worker` when the
   * Worker is lost or answers nothing for minutes
   */
  call(method: WebMethod, request: unknown, signal: AbortSignal): Promise<JsonText> {
    if (signal.aborted) return Promise.reject(cancelledError());
    const { promise, resolve, reject } = Promise.withResolvers<JsonText>();
    const abort = (): void => this.#cancel(id, cancelledError());
    const number = this.#deadline.begin(() => this.#cancel(id, lateError(method)));
    const release = (): void => {
      this.#deadline.end(number);
      signal.removeEventListener("abort", abort);
    };
    const id = this.#calls.add({ resolve, reject, release });
    signal.addEventListener("abort", abort, { once: true });
    this.#post({ kind: "call", id, method, request });
    this.#lookLater();
    return promise;
  }

  /** Ends the Worker after what it has started, in `msMax` at most; its calls are cancelled. */
  async close(msMax: number): Promise<void> {
    if (this.#isGone) return;
    this.#failAll(new AppError("cancelled", "The web service is shutting down."));
    this.#post({ kind: "close" });
    const timer = setTimeout(this.#isClosed.resolve, msMax);
    await this.#isClosed.promise;
    clearTimeout(timer);
    this.#end();
  }

  #receive(text: string): void {
    this.#silentLooks = 0;
    if (!this.#isGone) this.#take(decodeFromWebWorker(text));
  }

  #take(message: FromWebWorker): void {
    switch (message.kind) {
      case "done":
        return this.#settle(message.id, ({ resolve }) => resolve(message.value));
      case "failed": {
        const error = new AppError(message.code as AppErrorCode, message.message);
        return this.#settle(message.id, ({ reject }) => reject(error));
      }
      case "pong":
        return;
      case "closed":
        return this.#isClosed.resolve();
      case "mishap":
        return this.#events.onMishap(message.reason);
    }
  }

  #cancel(id: number, error: AppError): void {
    if (this.#calls.get(id) === undefined) return;
    this.#post({ kind: "cancel", id });
    this.#settle(id, ({ reject }) => reject(error));
  }

  #settle(id: number, finish: (call: WaitingCall) => void): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    call.release();
    finish(call);
    this.#events.onSettled(this);
  }

  #failAll(error: AppError): void {
    for (const [id] of this.#calls.entries()) this.#settle(id, ({ reject }) => reject(error));
  }

  /** Looks while there are calls; one that owes nothing may do as it likes. */
  #lookLater(): void {
    this.#look ??= setTimeout(() => this.#lookNow(), this.#timing.lookMs).unref();
  }

  #lookNow(): void {
    this.#look = undefined;
    if (this.#isGone) return;
    if (this.#calls.size === 0) {
      this.#silentLooks = 0;
      return;
    }
    this.#silentLooks += 1;
    if (this.#silentLooks > this.#timing.silentLooksMax) return this.#die("it hung");
    this.#post({ kind: "ping" });
    this.#lookLater();
  }

  #die(reason: string): void {
    if (this.#isGone) return;
    this.#end();
    this.#events.onGone(this, reason);
    const text = `The web service was lost: ${reason}. It is restarting; try again.`;
    this.#failAll(new AppError("worker", text));
  }

  #end(): void {
    this.#isGone = true;
    clearTimeout(this.#look);
    this.#isClosed.resolve();
    this.#worker.terminate();
  }

  #post(message: ToWebWorker): void {
    this.#worker.postMessage(encodeToWebWorker(message));
  }
}

function cancelledError(): AppError {
  return new AppError("cancelled", "The call was cancelled.");
}

function lateError(method: WebMethod): AppError {
  const seconds = Math.round(webCallMsMax / 1000);
  return new AppError("worker", `The web service did not finish ${method} within ${seconds} s.`);
}
