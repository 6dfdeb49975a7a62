import { AppError } from "../base/errors.ts";
import type { JsonText } from "../base/json-text.ts";
import { endPart, LazyPart } from "../base/lazy-part.ts";
import type { RemoteWeb } from "../web/remote-web.ts";
import type { WebOptions } from "../web/web-options.ts";

export interface LazyWebParts {
  readonly createWorker: () => Worker;
  readonly options: () => WebOptions;
  /** Called once, before the Worker is started. */
  readonly beforeStart: () => void;
  readonly warn: (message: string) => void;
}

/** The web service, of which nothing is loaded before the first page or search. */
export class LazyWeb implements RemoteWeb {
  readonly #parts: LazyWebParts;
  readonly #web: LazyPart<RemoteWeb> = new LazyPart(() => this.#make());
  #isClosed = false;

  constructor(parts: LazyWebParts) {
    this.#parts = parts;
  }

  fetchPage(...call: Parameters<RemoteWeb["fetchPage"]>): Promise<JsonText> {
    return this.#load().then((web) => web.fetchPage(...call));
  }

  renderPage(...call: Parameters<RemoteWeb["renderPage"]>): Promise<JsonText> {
    return this.#load().then((web) => web.renderPage(...call));
  }

  search(...call: Parameters<RemoteWeb["search"]>): Promise<JsonText> {
    return this.#load().then((web) => web.search(...call));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await endPart(this.#web);
  }

  #load(): Promise<RemoteWeb> {
    if (this.#isClosed) {
      return Promise.reject(new AppError("cancelled", "The server is shutting down."));
    }
    return this.#web.get();
  }

  async #make(): Promise<RemoteWeb> {
    const { WebWorkerClient } = await import("../web/worker/web-worker-client.ts");
    const { createWorker, options, beforeStart, warn } = this.#parts;
    beforeStart();
    return new WebWorkerClient({ createWorker, options: options(), warn });
  }
}
