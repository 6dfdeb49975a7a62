import { AppError } from "../../base/errors.ts";
import type { JsonText } from "../../base/json-text.ts";
import { webCloseMsMax, webIdleMs } from "../../base/limits.ts";
import type { FetchPageRequest, RenderPageRequest } from "../pages/loaded-page.ts";
import type { RemoteWeb } from "../remote-web.ts";
import type { SearchRequest } from "../search/search-reply.ts";
import type { WebOptions } from "../web-options.ts";
import type { WebMethod } from "./messages.ts";
import { type LinkTiming, WebWorkerLink } from "./web-worker-link.ts";

export interface WebWorkerClientParts {
  readonly createWorker: () => Worker;
  readonly options: WebOptions;
  /** Told what happened to a Worker that was lost, and what threw in one that goes on. */
  readonly warn: (message: string) => void;
  readonly timing?: Partial<LinkTiming & { readonly idleMs: number }>;
}

/** Asked every second; a page of 10 MB is parsed in less than the ten that it takes to be given up. */
const usualTiming = { lookMs: 1_000, silentLooksMax: 10, idleMs: webIdleMs };

/**
 * The web service from the main thread: one Worker, started with the first call, replaced when it is lost, ended
 * when nobody has asked for anything in a while.
 */
export class WebWorkerClient implements RemoteWeb {
  readonly #parts: WebWorkerClientParts;
  readonly #timing: LinkTiming & { readonly idleMs: number };
  #link: WebWorkerLink | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;
  /** Workers that are ending. */
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: WebWorkerClientParts) {
    this.#parts = parts;
    this.#timing = { ...usualTiming, ...parts.timing };
  }

  fetchPage(request: FetchPageRequest, signal: AbortSignal): Promise<JsonText> {
    return this.#call("fetchPage", request, signal);
  }

  renderPage(request: RenderPageRequest, signal: AbortSignal): Promise<JsonText> {
    return this.#call("renderPage", request, signal);
  }

  search(request: SearchRequest, signal: AbortSignal): Promise<JsonText> {
    return this.#call("search", request, signal);
  }

  /** Ends the Worker with all that it has started; calls that are due are cancelled. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#endLink();
    await Promise.all(this.#ending);
  }

  #call(method: WebMethod, request: unknown, signal: AbortSignal): Promise<JsonText> {
    if (this.#isClosed) {
      return Promise.reject(new AppError("cancelled", "The web service is shutting down."));
    }
    clearTimeout(this.#idle);
    this.#link ??= this.#open();
    return this.#link.call(method, request, signal);
  }

  #open(): WebWorkerLink {
    const { createWorker, options, warn } = this.#parts;
    return new WebWorkerLink(createWorker(), options, this.#timing, {
      onGone: (gone, reason) => {
        if (this.#link === gone) this.#link = undefined;
        warn(`The web Worker was lost and is replaced: ${reason}.`);
      },
      onSettled: (link) => this.#endWhenIdle(link),
      onMishap: (reason) => warn(`internal error in the web Worker: ${reason}`),
    });
  }

  #endWhenIdle(link: WebWorkerLink): void {
    if (link !== this.#link || link.size > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#endLink(), this.#timing.idleMs).unref();
  }

  #endLink(): void {
    clearTimeout(this.#idle);
    const link = this.#link;
    if (link === undefined) return;
    this.#link = undefined;
    const ending = link.close(webCloseMsMax).finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
