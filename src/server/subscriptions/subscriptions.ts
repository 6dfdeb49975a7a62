import { subscriptionsMax } from "../../base/limits.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { Connection } from "../connection/connection.ts";
import type { MethodReply } from "../connection/method.ts";
import type { McpTasks } from "../tasks/mcp-tasks.ts";
import { ChangeSender } from "./change-sender.ts";
import { LegacyAudience } from "./legacy-audience.ts";
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
