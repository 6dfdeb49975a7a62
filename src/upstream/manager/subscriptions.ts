import { upstreamSubscriptionsMax } from "../../base/limits.ts";
import { ownUri, readForeignUri } from "../results/own-uris.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";
import type { ManagedServer } from "./managed-server.ts";

interface Watched {
  readonly server: string;
  /** As its server knows it. */
  readonly uri: string;
  readonly clients: Set<string>;
}

/** Which resources of servers are watched, for whom (RP4): a server is asked once, however many clients want to know. */
export class Subscriptions {
  readonly #server: (name: string) => ManagedServer | undefined;
  readonly #host: UpstreamHost;
  /** By our address. */
  readonly #watched = new Map<string, Watched>();

  constructor(server: (name: string) => ManagedServer | undefined, host: UpstreamHost) {
    this.#server = server;
    this.#host = host;
  }

  /** False when the server knows no subscriptions, or cannot be reached. Never rejects. */
  async subscribe(uri: string, clientId: string): Promise<boolean> {
    const known = this.#watched.get(uri);
    if (known !== undefined) {
      known.clients.add(clientId);
      return true;
    }
    const foreign = readForeignUri(uri);
    const server = foreign === undefined ? undefined : this.#server(foreign.server);
    if (foreign === undefined || server === undefined || server.standing.kind !== "usable")
      return false;
    if (this.#watched.size >= upstreamSubscriptionsMax) return false;
    const watched: Watched = { ...foreign, clients: new Set([clientId]) };
    // Whoever comes while the server is being asked waits for nothing.
    this.#watched.set(uri, watched);
    const isWatched = await this.#ask(server, watched);
    if (!isWatched) this.#watched.delete(uri);
    else if (watched.clients.size === 0) this.#release(uri, watched);
    return isWatched;
  }

  unsubscribe(uri: string, clientId: string): void {
    const watched = this.#watched.get(uri);
    if (watched === undefined) return;
    watched.clients.delete(clientId);
    if (watched.clients.size === 0) this.#release(uri, watched);
  }

  endClient(clientId: string): void {
    for (const uri of this.#watched.keys()) this.unsubscribe(uri, clientId);
  }

  /** A new connection knows nothing of what was watched before. */
  async onConnected(server: ManagedServer): Promise<void> {
    for (const watched of this.#watched.values()) {
      if (watched.server === server.name) await this.#ask(server, watched);
    }
  }

  onUpdated(server: string, uri: string): void {
    const own = ownUri(server, uri);
    if (this.#watched.has(own)) this.#host.notify({ kind: "resource-updated", uri: own });
  }

  async #ask(server: ManagedServer, { uri }: Watched): Promise<boolean> {
    try {
      const link = server.links?.forLists();
      if (link === undefined) return false;
      const late = AbortSignal.timeout(server.configured.entry.options.initTimeoutMs);
      return await (await link.connected(late)).subscribe(uri);
    } catch {
      return false;
    }
  }

  #release(uri: string, watched: Watched): void {
    this.#watched.delete(uri);
    const connection = this.#server(watched.server)?.links?.primary?.connection;
    connection?.unsubscribe(watched.uri).catch(() => {});
  }
}
