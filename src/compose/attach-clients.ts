import { createHash } from "node:crypto";

import type { ClientKey } from "../interact/attach/messages.ts";
import { attachClientsMax } from "../base/limits.ts";
import type { CallRequest, ClientContext } from "../calls/call.ts";
import type { CallWatcher } from "../calls/gate/gate-stage.ts";

/** Remembers the clients that called a tool last: terminals show their state. */
export class AttachClients implements CallWatcher {
  readonly #clients = new Map<string, ClientContext>();

  began({ client }: CallRequest): void {
    // The one that called last is the last one.
    this.#clients.delete(client.id);
    this.#clients.set(client.id, client);
    if (this.#clients.size <= attachClientsMax) return;
    const [oldest] = this.#clients.keys();
    if (oldest !== undefined) this.#clients.delete(oldest);
  }

  /** The client has gone, and its state with it. */
  forget(clientId: string): void {
    this.#clients.delete(clientId);
  }

  list(): readonly ClientContext[] {
    return [...this.#clients.values()];
  }

  find(key: ClientKey): ClientContext | undefined {
    return this.list().find(({ id }) => keyOf(id) === key);
  }
}

/** The id of a session gives access to it; the key shown in its place does not. */
export function keyOf(clientId: string): ClientKey {
  if (clientId === "stdio") return clientId;
  return createHash("sha256").update(clientId).digest("hex").slice(0, 8);
}
