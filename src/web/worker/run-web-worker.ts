import { type Abortable, signalOf } from "../../base/cancellation.ts";
import { heavyPageWeight } from "../../base/limits.ts";
import { JsonText } from "../../base/weight.ts";
import {
  serveChannel,
  type WorkerHost,
  type WorkerWork,
} from "../../base/worker-channel/worker-side.ts";

import type { Web, WebCall, WebOptions } from "../web.ts";

/** Makes the `Web` of the calls, when the first one comes. */
export type OpenWeb = (options: WebOptions) => Web | Promise<Web>;

/** The whole of the web Worker. */
export function runWebWorker(openWeb: OpenWeb): void {
  serveChannel(
    (options: WebOptions, host: WorkerHost<never>) => new WebWork(() => openWeb(options), host),
    { survivesErrors: true },
  );
}

class WebWork implements WorkerWork<WebCall, never> {
  readonly #open: () => Web | Promise<Web>;
  readonly #host: WorkerHost<never>;
  #web: Promise<Web> | undefined;

  constructor(open: () => Web | Promise<Web>, host: WorkerHost<never>) {
    this.#open = open;
    this.#host = host;
  }

  async call(call: WebCall, _id: number, signal: Abortable): Promise<JsonText> {
    const value = await performWebCall(await this.#opened(), call, signalOf(signal));
    const json = JSON.stringify(value ?? null);
    // Left alone the runtime keeps four copies of each page until as much again is in use.
    if (json.length > heavyPageWeight && !signal.aborted) setImmediate(() => Bun.gc(true));
    return new JsonText(json);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#host.cancelCalls();
    const web = await this.#web;
    await web?.[Symbol.asyncDispose]();
  }

  /** A failure to open is the failure of the calls that wait for it; the next one tries again. */
  #opened(): Promise<Web> {
    this.#web ??= Promise.resolve(this.#open()).catch((error: unknown) => {
      this.#web = undefined;
      throw error;
    });
    return this.#web;
  }
}

/** Performs a call on `web`. */
function performWebCall(
  web: Web,
  { method, request }: WebCall,
  signal: AbortSignal,
): Promise<unknown> {
  switch (method) {
    case "fetchPage":
      return web.fetchPage(request, signal);
    case "renderPage":
      return web.renderPage(request, signal);
    case "search":
      return web.search(request, signal);
  }
}
