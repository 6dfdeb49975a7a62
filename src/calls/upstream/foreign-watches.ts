import type { Upstreams } from "../../upstream/upstreams.ts";

/** One address that one client watches, however often. */
interface Watch {
  /** Subscriptions of the client that have begun and not ended. */
  users: number;
}

/**
 * Which client watches which resource of other servers. A server is asked once for each client, and told when the
 * client's last subscription has ended (RP4).
 */
export class ForeignWatches {
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

  /** Call it for what is prepared. Returns what ends it. */
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
