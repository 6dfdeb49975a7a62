import { AppError } from "../../base/errors.ts";
import { upstreamPollMsMax, upstreamSubscriptionsMax } from "../../base/limits.ts";
import type { ClientCapabilities } from "../../protocol/client-capabilities.ts";
import type { UpstreamConnection } from "../connect/connection.ts";
import { ownUri, readForeignUri } from "../results/own-uris.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";
import type { ManagedServer } from "./managed-server.ts";
import { ResourcePoll } from "./resource-poll.ts";

interface Watched {
  readonly server: string;
  /** As its server knows it. */
  readonly uri: string;
  readonly clients: Set<string>;
  /** Where the server does not tell of changes. */
  poll?: ResourcePoll;
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
    if (foreign === undefined || server === undefined || server.standing?.kind !== "usable")
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

  /** Nothing is watched any more. */
  close(): void {
    for (const [uri, watched] of this.#watched) this.#release(uri, watched);
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

  async #ask(server: ManagedServer, watched: Watched): Promise<boolean> {
    try {
      const { initTimeoutMs, pollS } = server.configured.entry.options;
      const connection = await connectionOf(server, initTimeoutMs);
      if (await connection?.subscribe(watched.uri)) return true;
      if (connection === undefined || pollS === 0) return false;
      watched.poll ??= this.#poll(server, watched, pollS * 1_000);
      return true;
    } catch {
      return false;
    }
  }

  #poll({ name }: ManagedServer, { uri }: Watched, everyMs: number): ResourcePoll {
    const read = async (): Promise<unknown> => {
      // The server of that name may be another one by now.
      const server = this.#server(name);
      const connection = server && (await connectionOf(server, everyMs));
      return connection?.request({
        method: "resources/read",
        params: { uri },
        capabilities: noCapabilities,
        signal: AbortSignal.timeout(upstreamPollMsMax),
        timeoutMs: upstreamPollMsMax,
        idleMs: upstreamPollMsMax,
        ask: () => Promise.reject(new AppError("refused", "Nobody is to be asked for a look.")),
      });
    };
    return new ResourcePoll(everyMs, read, () => this.onUpdated(name, uri));
  }

  #release(uri: string, watched: Watched): void {
    this.#watched.delete(uri);
    watched.poll?.stop();
    const connection = this.#server(watched.server)?.links?.primary?.connection;
    connection?.unsubscribe(watched.uri).catch(() => {});
  }
}

/** Started when needed. @throws when it cannot be had */
async function connectionOf(
  { links }: ManagedServer,
  msMax: number,
): Promise<UpstreamConnection | undefined> {
  return links?.forLists().connected(AbortSignal.timeout(msMax));
}

const noCapabilities: ClientCapabilities = {
  elicitationForm: false,
  elicitationUrl: false,
  sampling: false,
  samplingTools: false,
  roots: false,
  tasks: false,
};
