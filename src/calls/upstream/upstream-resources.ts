import { ownValue } from "../../base/values.ts";
import { errorCodes } from "../../protocol/json-rpc.ts";
import type { ResourceListing, ResourceTemplateListing } from "../../protocol/resource-types.ts";
import { readForeignUri } from "../../upstream/results/clean-result.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";
import type { Upstreams } from "../../upstream/upstreams.ts";
import { FaultError } from "../ask-client.ts";
import type { ClientContext, RequestContext } from "../call.ts";
import type { ResourceProvider, ResourceReading } from "../features.ts";
import type { ExchangeParts } from "./exchange.ts";
import { askForeign } from "./foreign-requests.ts";

export interface UpstreamProvidersParts {
  readonly upstreams: Pick<Upstreams, "snapshot" | "subscribe" | "unsubscribe" | "call">;
  /** The facts about upstream servers, after the wait of the first list. */
  readonly known: () => Promise<UpstreamSnapshot>;
  readonly exchange: () => Promise<ExchangeParts>;
}

/** Resources of upstream servers, under own addresses (RP1, RP2, RP4). */
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
      return Array.isArray(contents) ? { contents: ownValue(contents) } : undefined;
    } catch (error) {
      if (error instanceof FaultError && error.fault.code === errorCodes.resourceNotFound) {
        return undefined;
      }
      throw error;
    }
  }

  /** Asks the server of each upstream address whether it reports changes. */
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

/** One address that one client watches, however often. */
interface Watch {
  /** Subscriptions of the client that have begun and not ended. */
  users: number;
}

/**
 * Which client watches which resource of upstream servers. A server gets one subscription for each client, and its end when the
 * client's last subscription has ended (RP4).
 */
class ForeignWatches {
  readonly #upstreams: Pick<Upstreams, "subscribe" | "unsubscribe">;
  readonly #byClient = new Map<string, Map<string, Watch>>();

  constructor(upstreams: Pick<Upstreams, "subscribe" | "unsubscribe">) {
    this.#upstreams = upstreams;
  }

  /** Subscribes, unless that server cannot. Never rejects. */
  async prepare(uri: string, clientId: string): Promise<void> {
    if (this.isPrepared(uri, clientId)) return;
    const can = await this.#upstreams.subscribe(uri, clientId).catch(() => false);
    if (!can || this.isPrepared(uri, clientId)) return;
    const watches = this.#byClient.get(clientId) ?? new Map<string, Watch>();
    this.#byClient.set(clientId, watches.set(uri, { users: 0 }));
  }

  isPrepared(uri: string, clientId: string): boolean {
    return this.#byClient.get(clientId)?.has(uri) === true;
  }

  /** Call it for prepared URIs. Returns a function that ends it. */
  begin(uri: string, clientId: string): () => void {
    const watch = this.#byClient.get(clientId)?.get(uri);
    if (watch === undefined) return () => {};
    watch.users++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--watch.users === 0) this.#end(uri, clientId);
    };
  }

  endClient(clientId: string): void {
    for (const uri of this.#byClient.get(clientId)?.keys() ?? []) this.#end(uri, clientId);
  }

  #end(uri: string, clientId: string): void {
    const watches = this.#byClient.get(clientId);
    if (watches?.delete(uri) !== true) return;
    if (watches.size === 0) this.#byClient.delete(clientId);
    this.#upstreams.unsubscribe(uri, clientId);
  }
}
