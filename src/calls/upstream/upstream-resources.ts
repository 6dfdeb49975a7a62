import { errorCodes } from "../../protocol/json-rpc.ts";
import type {
  ResourceContents,
  ResourceListing,
  ResourceTemplateListing,
} from "../../protocol/resource-types.ts";
import { readForeignUri } from "../../upstream/results/own-uris.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";
import type { Upstreams } from "../../upstream/upstreams.ts";
import { FaultError } from "../ask-client.ts";
import type { ClientContext, RequestContext } from "../call.ts";
import type { ResourceProvider, ResourceReading } from "../features.ts";
import type { ExchangeParts } from "./exchange.ts";
import { askForeign } from "./foreign-requests.ts";
import { ForeignWatches } from "./foreign-watches.ts";

export interface UpstreamProvidersParts {
  readonly upstreams: Pick<Upstreams, "snapshot" | "subscribe" | "unsubscribe" | "call">;
  /** What is known of other servers, after the wait of the first list. */
  readonly known: () => Promise<UpstreamSnapshot>;
  readonly exchange: () => Promise<ExchangeParts>;
}

/** Resources of other servers, under addresses of ours (RP1, RP2, RP4). */
export class UpstreamResources implements ResourceProvider {
  readonly #parts: UpstreamProvidersParts;
  readonly #watches: ForeignWatches;

  constructor(parts: UpstreamProvidersParts) {
    this.#parts = parts;
    this.#watches = new ForeignWatches(parts.upstreams);
  }

  async list(): Promise<readonly ResourceListing[]> {
    return (await this.#parts.known()).resources;
  }

  async templates(): Promise<readonly ResourceTemplateListing[]> {
    return (await this.#parts.known()).templates;
  }

  /** @throws FaultError with that server's error */
  async read(uri: string, context: RequestContext): Promise<ResourceReading | undefined> {
    const foreign = readForeignUri(uri);
    if (foreign === undefined) return undefined;
    const snapshot = await this.#parts.known();
    if (!snapshot.servers.some(({ name }) => name === foreign.server)) return undefined;
    const request = {
      server: foreign.server,
      method: "resources/read",
      params: { uri: foreign.uri },
    } as const;
    try {
      const result = await askForeign(await this.#parts.exchange(), snapshot, request, context);
      const { contents } = result;
      // The Worker has checked them.
      return Array.isArray(contents) ? { contents: contents as ResourceContents[] } : undefined;
    } catch (error) {
      if (error instanceof FaultError && error.fault.code === errorCodes.resourceNotFound) {
        return undefined;
      }
      throw error;
    }
  }

  /** Asks the server of each address of another server whether it tells of changes. */
  prepareWatch(uris: readonly string[], { id }: ClientContext): Promise<void> | undefined {
    const foreign = uris.filter((uri) => this.#isForeign(uri));
    if (foreign.length === 0) return undefined;
    return Promise.all(foreign.map((uri) => this.#watches.prepare(uri, id))).then(() => {});
  }

  canSubscribe(uri: string, { id }: ClientContext): boolean {
    return this.#watches.isPrepared(uri, id);
  }

  watch(uri: string, { id }: ClientContext): () => void {
    return this.#watches.begin(uri, id);
  }

  endClient(clientId: string): void {
    this.#watches.endClient(clientId);
  }

  #isForeign(uri: string): boolean {
    const server = readForeignUri(uri)?.server;
    const servers = this.#parts.upstreams.snapshot?.servers ?? [];
    return server !== undefined && servers.some(({ name }) => name === server);
  }
}
