import type { Change } from "../../calls/changes.ts";
import { changeKey, encodeChange } from "./change-notification.ts";
import { clientOf } from "./listen-filter.ts";
import { subscriptionsMax } from "../../base/limits.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { Connection } from "../connection/connection.ts";
import type { MethodReply } from "../connection/method.ts";
import type { McpTasks } from "../tasks/mcp-tasks.ts";
import { ChangeSender } from "./change-sender.ts";
import type { ListenFilter } from "./listen-filter.ts";
import { type ChangeSources, Subscription } from "./subscription.ts";

/** The subscribers to changes, in both eras. Owned by the server's context. */
export class Subscriptions {
  readonly #features: ServerFeatures;
  readonly #sources: ChangeSources;
  readonly #sender = new ChangeSender();
  readonly #audience: LegacyAudience;
  /** Oldest first. */
  readonly #open = new WeakMap<Connection, Set<Subscription>>();

  constructor(features: ServerFeatures, mcpTasks: () => McpTasks) {
    this.#sources = { features, mcpTasks };
    this.#features = features;
    this.#audience = new LegacyAudience(features, this.#sender);
  }

  /**
   * Opens a modern subscription; resolves with the reply when it ends. Of too many on one connection the oldest
   * is ended: it is most likely the one that its client forgot.
   */
  listen(
    request: ActiveRequest,
    connection: Connection,
    filter: ListenFilter,
  ): Promise<MethodReply> {
    const open = this.#open.get(connection) ?? new Set();
    this.#open.set(connection, open);
    const [oldest] = open;
    if (open.size >= subscriptionsMax) {
      oldest?.drop(`${subscriptionsMax} subscriptions are open on this connection`);
    }
    const subscription = new Subscription(request, connection, filter, this.#sender, this.#sources);
    open.add(subscription);
    // At once, not when the reply is: it must not be ended a second time.
    return subscription.start(() => open.delete(subscription));
  }

  /** A legacy session is ready: from now on it gets changes (docs/spec/legacy.md#sessions). */
  admit(connection: Connection): void {
    const { resources, changing } = this.#features;
    if (resources === undefined && changing.size === 0) return;
    if (connection.session.version !== undefined) this.#audience.add(connection);
  }

  /** The connection has ended. Without it a session that is gone would be kept for ever. */
  release(connection: Connection): void {
    this.#audience.delete(connection);
    connection.session.subscribedUris.clear();
  }
}

/**
 * The legacy sessions that get notifications of changes: of lists that were declared to change, and of the resources that they
 * subscribed to (docs/spec/legacy.md#sessions). One listener for all of them, by client, so that a task of one of ten thousand sessions
 * costs the others nothing.
 */
class LegacyAudience {
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
