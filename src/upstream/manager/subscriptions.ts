import { sha256Hex } from "../../base/digests.ts";
import { startTimer, type Timer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { upstreamPollMsMax, upstreamSubscriptionsMax } from "../../base/upstream-limits.ts";
import { noClientCapabilities } from "../../protocol/client-capabilities.ts";
import type { UpstreamConnection } from "../connect/connection.ts";
import { ownUri, readForeignUri } from "../results/clean-result.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";
import { subscriberOf } from "./connection-pool.ts";
import type { ManagedServer } from "./managed-server.ts";

interface Watched {
  readonly server: string;
  /** The URI on its server. */
  readonly uri: string;
  readonly clients: Set<string>;
  /** Whether changes are noticed, by notification or by polling. */
  isGranted: Promise<boolean>;
  /** Present when the server does not report changes. */
  poll?: ResourcePoll;
}

/** The watched resources and their clients (RP4): each is subscribed once, however many clients watch it. */
export class UpstreamSubscriptions implements Disposable {
  readonly #server: (name: string) => ManagedServer | undefined;
  readonly #host: UpstreamHost;
  readonly #manager: string;
  /** By scorpiox-code's URI. */
  readonly #watched = new Map<string, Watched>();

  /** @param manager names the subscriptions of this object among others on the same connections */
  constructor(
    server: (name: string) => ManagedServer | undefined,
    host: UpstreamHost,
    manager: string,
  ) {
    this.#server = server;
    this.#host = host;
    this.#manager = manager;
  }

  /** False when the server supports no subscriptions, or cannot be reached. Never rejects. */
  async subscribe(uri: string, clientId: string): Promise<boolean> {
    const known = this.#watched.get(uri);
    if (known !== undefined) {
      known.clients.add(clientId);
      return known.isGranted;
    }
    const foreign = readForeignUri(uri);
    const server = foreign === undefined ? undefined : this.#server(foreign.server);
    if (foreign === undefined || server === undefined) return false;
    if (this.#watched.size >= upstreamSubscriptionsMax) return false;
    const clients = new Set([clientId]);
    const watched: Watched = { ...foreign, clients, isGranted: Promise.resolve(false) };
    this.#watched.set(uri, watched);
    watched.isGranted = this.#begin(uri, server, watched);
    return watched.isGranted;
  }

  unsubscribe(uri: string, clientId: string): void {
    const watched = this.#watched.get(uri);
    if (watched === undefined) return;
    watched.clients.delete(clientId);
    if (watched.clients.size === 0) this.#release(uri, watched);
  }

  /** Stops watching all resources. */
  [Symbol.dispose](): void {
    for (const [uri, watched] of this.#watched) this.#release(uri, watched);
  }

  endClient(clientId: string): void {
    for (const uri of this.#watched.keys()) this.unsubscribe(uri, clientId);
  }

  /** Subscribes again, since a new connection has no subscriptions. */
  async onConnected(name: string): Promise<void> {
    const server = this.#server(name);
    if (server === undefined) return;
    for (const watched of this.#watched.values()) {
      if (watched.server === name) await this.#ask(server, watched);
    }
  }

  onUpdated(server: string, uri: string): void {
    const own = ownUri(server, uri);
    if (this.#watched.has(own)) this.#host.notify({ kind: "resource-updated", uri: own });
  }

  async #begin(uri: string, server: ManagedServer, watched: Watched): Promise<boolean> {
    await server.looked;
    const isGranted = server.permission?.kind === "usable" && (await this.#ask(server, watched));
    const present = this.#watched.get(uri);
    if (present === watched && !isGranted) this.#watched.delete(uri);
    // All clients have unsubscribed meanwhile, or one has subscribed again.
    else if (present !== watched) this.#end(watched, present === undefined);
    return isGranted;
  }

  async #ask(server: ManagedServer, watched: Watched): Promise<boolean> {
    try {
      const { initTimeoutMs, pollS } = server.configured.entry.options;
      // Its lists have a separate connection that no client uses, so its events do not matter.
      if (server.main?.target.keepsListsApart === true) return false;
      const connection = await connectionOf(server, initTimeoutMs);
      if (await connection?.subscribe(watched.uri, this.#subscriber(watched))) return true;
      if (connection === undefined || pollS === 0) return false;
      watched.poll ??= this.#poll(server, watched, pollS * 1_000);
      return true;
    } catch {
      return false;
    }
  }

  #poll({ name }: ManagedServer, { uri }: Watched, everyMs: number): ResourcePoll {
    const read = async (): Promise<unknown> => {
      // The server with that name may have been replaced.
      const server = this.#server(name);
      const connection = server && (await connectionOf(server, everyMs));
      return connection?.request({
        method: "resources/read",
        params: { uri },
        capabilities: noClientCapabilities,
        signal: AbortSignal.timeout(upstreamPollMsMax),
        timeoutMs: upstreamPollMsMax,
        idleMs: upstreamPollMsMax,
        ask: () => Promise.reject(new AppError("refused", "A poll cannot ask the user.")),
      });
    };
    return new ResourcePoll(everyMs, read, () => this.onUpdated(name, uri));
  }

  #release(uri: string, watched: Watched): void {
    this.#watched.delete(uri);
    this.#end(watched, true);
  }

  #end(watched: Watched, isLast: boolean): void {
    watched.poll?.[Symbol.dispose]();
    if (!isLast) return;
    const connection = this.#server(watched.server)?.main?.primary?.live;
    connection?.unsubscribe(watched.uri, this.#subscriber(watched)).catch(() => {});
  }

  #subscriber({ server }: Watched): string {
    return subscriberOf({ manager: this.#manager, server });
  }
}

/** The connection for lists, started when needed. @throws when it is not available */
async function connectionOf(
  { main }: ManagedServer,
  msMax: number,
): Promise<UpstreamConnection | undefined> {
  return main?.forLists().connected(AbortSignal.timeout(msMax));
}

/**
 * Polls a resource of a server that does not report changes, when its entry asks for it (`poll_s`). Failed reads are
 * ignored.
 */
export class ResourcePoll implements Disposable {
  readonly #everyMs: number;
  readonly #read: () => Promise<unknown>;
  readonly #onChange: () => void;
  #timer: Timer | undefined;
  #seen: string | undefined;
  #isStopped = false;

  constructor(everyMs: number, read: () => Promise<unknown>, onChange: () => void) {
    this.#everyMs = everyMs;
    this.#read = read;
    this.#onChange = onChange;
    void this.#look();
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#timer?.stop();
  }

  async #look(): Promise<void> {
    try {
      const text = JSON.stringify(await this.#read()) ?? "";
      const now = sha256Hex(text);
      const hasChanged = this.#seen !== undefined && this.#seen !== now;
      this.#seen = now;
      if (hasChanged && !this.#isStopped) this.#onChange();
    } catch {
      // Read it again at the next poll.
    }
    if (!this.#isStopped) this.#timer = startTimer(this.#everyMs, () => void this.#look());
  }
}
