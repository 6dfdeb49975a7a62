import type { ClientContext, RequestContext } from "../calls/call.ts";
import type { ResourceProvider, ResourceReading } from "../calls/features.ts";
import { ownTemplates, readOwnUri } from "../calls/own-uri.ts";
import { isStateUri, stateListings } from "../calls/resources/state-listings.ts";
import type { ResourceListing } from "../protocol/resource-types.ts";

export interface LazyResourcesParts {
  /** What has been made; undefined before the first call. */
  readonly made: () => ResourceProvider | undefined;
  /** Makes it. */
  readonly make: () => Promise<ResourceProvider>;
}

/** The product's resources before and after the services behind them are made: looking at lists makes nothing. */
export class LazyResources implements ResourceProvider {
  readonly #parts: LazyResourcesParts;

  constructor(parts: LazyResourcesParts) {
    this.#parts = parts;
  }

  list(client: ClientContext): Promise<readonly ResourceListing[]> {
    return this.#parts.made()?.list(client) ?? Promise.resolve(stateListings);
  }

  templates(): Promise<typeof ownTemplates> {
    return Promise.resolve(ownTemplates);
  }

  /** Outputs were saved by earlier processes too; background tasks are those of this one. */
  async read(uri: string, context: RequestContext): Promise<ResourceReading | undefined> {
    if (isStateUri(uri)) return (await this.#parts.make()).read(uri, context);
    const own = readOwnUri(uri);
    if (own === undefined) return undefined;
    const provider = own.kind === "result" ? await this.#parts.make() : this.#parts.made();
    return provider?.read(uri, context);
  }

  canSubscribe(uri: string, client: ClientContext): boolean {
    return isStateUri(uri) || this.#parts.made()?.canSubscribe(uri, client) === true;
  }

  /** What is there from the start is made to be watched: another process may change it. */
  watch(uri: string, client: ClientContext): () => void {
    let end: (() => void) | undefined;
    let isOver = false;
    const begin = (provider: ResourceProvider): void => {
      if (!isOver) end = provider.watch?.(uri, client);
    };
    const made = this.#parts.made();
    if (made !== undefined) begin(made);
    // What goes wrong is told to the next who reads it.
    else if (isStateUri(uri)) this.#parts.make().then(begin, () => {});
    return () => {
      isOver = true;
      end?.();
    };
  }
}
