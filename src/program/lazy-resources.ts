import type { ClientContext, RequestContext } from "../gateway/call.ts";
import type { ResourceProvider, ResourceReading } from "../gateway/features.ts";
import { ownTemplates, readOwnUri } from "../gateway/resources/own-uri.ts";
import { isStateUri, stateListings } from "../gateway/resources/state-listings.ts";
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
}
