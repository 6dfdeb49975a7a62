import type { Change } from "../../gateway/changes.ts";
import type { ServerFeatures } from "../../gateway/features.ts";
import type { Connection } from "../connection.ts";
import { changeKey, encodeChange } from "./change-notification.ts";
import type { ChangeSender } from "./change-sender.ts";
import { isVisible } from "./listen-filter.ts";

/**
 * The legacy sessions that are told of changes unasked: of lists that were declared to change, and of the
 * resources that they subscribed to (legacy.md section 4). One listener for all of them: a session costs a
 * place in a set.
 */
export class LegacyAudience {
  readonly #features: ServerFeatures;
  readonly #sender: ChangeSender;
  readonly #members = new Set<Connection>();
  #stop: (() => void) | undefined;

  constructor(features: ServerFeatures, sender: ChangeSender) {
    this.#features = features;
    this.#sender = sender;
  }

  add(connection: Connection): void {
    this.#members.add(connection);
    this.#stop ??= this.#features.changes.listen((change) => this.#tell(change));
  }

  delete(connection: Connection): void {
    this.#members.delete(connection);
    this.#sender.forget(connection);
    if (this.#members.size > 0) return;
    this.#stop?.();
    this.#stop = undefined;
  }

  #tell(change: Change): void {
    if (change.kind !== "resource" && !this.#features.changing.has(change.kind)) return;
    for (const connection of this.#members) {
      if (!isFor(connection, change)) continue;
      this.#sender.send(connection, changeKey(change), () => encodeChange(change));
    }
  }
}

function isFor({ session }: Connection, change: Change): boolean {
  // A session may have begun anew: until it says that it is ready it is told nothing.
  if (!session.isInitialized || !isVisible(change, session.clientId)) return false;
  return change.kind !== "resource" || session.subscribedUris.has(change.uri);
}
