import { AppError } from "../../base/errors.ts";
import { webCallMsMax, webCloseMsMax, webIdleMs } from "../../base/limits.ts";
import { ownValue } from "../../base/values.ts";
import type { JsonText } from "../../base/weight.ts";
import { workerPort } from "../../base/worker-channel/channel-port.ts";
import { type HeartbeatTimes, WorkerChannel } from "../../base/worker-channel/worker-channel.ts";
import type { FetchPageRequest, RenderPageRequest } from "../pages/page-url.ts";
import type { SearchRequest } from "../search/search-reply.ts";
import type { RemoteWeb, WebOptions, WebCall, WebMethod } from "../web.ts";

type WebChannel = WorkerChannel<WebOptions, WebCall, WebMethod>;

export interface WebWorkerClientParts {
  readonly createWorker: () => Worker;
  readonly options: WebOptions;
  /** Receives the loss of a Worker, and the errors of one that goes on. */
  readonly warn: (message: string) => void;
  /** Called at each loss of the Worker. */
  readonly onLost?: () => void;
  readonly timing?: Partial<HeartbeatTimes & { readonly idleMs: number }>;
}

/** The Worker is asked every second whether it lives; a page of 10 MB is parsed in less than the ten that it takes to be given up. */
const usualTiming = { lookMs: 1_000, silentLooksMax: 10, idleMs: webIdleMs };

/**
 * The web service from the main thread: one Worker, started with the first call, replaced when it is lost, ended
 * when nobody has asked for anything in a while.
 */
export class WebWorkerClient implements RemoteWeb {
  readonly #parts: WebWorkerClientParts;
  readonly #timing: HeartbeatTimes & { readonly idleMs: number };
  #channel: WebChannel | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  /** Workers that are ending. */
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: WebWorkerClientParts) {
    this.#parts = parts;
    this.#timing = { ...usualTiming, ...parts.timing };
  }

  fetchPage(request: FetchPageRequest, signal: AbortSignal): Promise<JsonText> {
    return this.#call({ method: "fetchPage", request }, signal);
  }

  renderPage(request: RenderPageRequest, signal: AbortSignal): Promise<JsonText> {
    return this.#call({ method: "renderPage", request }, signal);
  }

  search(request: SearchRequest, signal: AbortSignal): Promise<JsonText> {
    return this.#call({ method: "search", request }, signal);
  }

  /** Ends the Worker with all that it has started; calls that wait are cancelled. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#endChannel();
    await Promise.all(this.#ending);
  }

  async #call(call: WebCall, signal: AbortSignal): Promise<JsonText> {
    if (this.#isClosed) throw shuttingDown();
    clearTimeout(this.#idle);
    this.#channel ??= this.#open();
    return ownValue(await this.#channel.call(call, call.method, signal));
  }

  #open(): WebChannel {
    const { createWorker, options, warn } = this.#parts;
    const channel: WebChannel = new WorkerChannel({
      port: workerPort(createWorker()),
      options,
      heartbeat: { ...this.#timing, isSteady: false },
      deadline: { msMax: webCallMsMax, lateText },
      lostText: (reason) => `The web service was lost: ${reason}. It is restarting; try again.`,
      events: {
        onGone: (reason) => {
          if (this.#channel === channel) this.#channel = undefined;
          warn(`The web Worker was lost and is replaced: ${reason}.`);
          this.#parts.onLost?.();
        },
        onSettled: () => this.#endWhenIdle(channel),
        onMishap: (reason) => warn(`internal error in the web Worker: ${reason}`),
      },
    });
    return channel;
  }

  #endWhenIdle(channel: WebChannel): void {
    if (channel !== this.#channel || channel.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#endChannel(), this.#timing.idleMs).unref();
  }

  #endChannel(): void {
    clearTimeout(this.#idle);
    const channel = this.#channel;
    if (channel === undefined) return;
    this.#channel = undefined;
    channel.failAll(shuttingDown());
    const ending = channel.close(webCloseMsMax).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function lateText(method: WebMethod): string {
  const seconds = Math.round(webCallMsMax / 1000);
  return `The web service did not finish ${method} within ${seconds} s.`;
}

function shuttingDown(): AppError {
  return new AppError("cancelled", "The web service is shutting down.");
}
