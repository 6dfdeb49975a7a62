import type { Change } from "../../calls/changes.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import type { Connection } from "../connection/connection.ts";
import { changeKey, encodeChange } from "./change-notification.ts";
import type { ChangeSender } from "./change-sender.ts";
import { clientOf } from "./listen-filter.ts";

/**
 * The legacy sessions that get notifications of changes: of lists that were declared to change, and of the resources that they
 * subscribed to (docs/spec/legacy.md#sessions). One listener for all of them, by client, so that a task of one of ten thousand sessions
 * costs the others nothing.
 */
export class LegacyAudience {
  readonly #features: ServerFeatures;
  readonly #sender: ChangeSender;
  readonly #members = new Map<string, Set<Connection>>();
  #stop: (() => void) | undefined;

  constructor(features: ServerFeatures, sender: ChangeSender) {
    this.#features = features;
    this.#sender = sender;
  }

  add(connection: Connection): void {
    const { clientId } = connection.session;
    const known = this.#members.get(clientId);
    if (known === undefined) this.#members.set(clientId, new Set([connection]));
    else known.add(connection);
    this.#stop ??= this.#features.changes.listen((change) => this.#tell(change));
  }

  delete(connection: Connection): void {
    const { clientId } = connection.session;
    const known = this.#members.get(clientId);
    known?.delete(connection);
    if (known?.size === 0) this.#members.delete(clientId);
    this.#sender.forget(connection);
    if (this.#members.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #tell(change: Change): void {
    if (change.kind !== "resource" && !this.#features.changing.has(change.kind)) return;
    const clientId = clientOf(change);
    if (clientId !== undefined) return this.#tellEach(this.#members.get(clientId), change);
    for (const connections of this.#members.values()) this.#tellEach(connections, change);
  }

  #tellEach(connections: Iterable<Connection> = [], change: Change): void {
    for (const connection of connections) {
      if (!isFor(connection, change)) continue;
      this.#sender.send(connection, changeKey(change), () => encodeChange(change));
    }
  }
}

/** A session may have begun again: until it says that it is ready it gets no notifications. */
function isFor({ session }: Connection, change: Change): boolean {
  if (!session.isInitialized) return false;
  return change.kind !== "resource" || session.subscribedUris.has(change.uri);
}
