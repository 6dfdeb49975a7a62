import { subscriptionsMax } from "../../base/limits.ts";
import { createDeferred } from "../../base/shared-work.ts";
import type { Change, ServerFeatures } from "../../calls/features.ts";
import { encodeNotification } from "../../protocol/json-rpc.ts";
import { encodeComplete } from "../../protocol/result-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { Outbox } from "../connection/lanes.ts";
import type { Connection } from "../connection/live-connections.ts";
import { cancelledReply, type MethodReply, resultReply } from "../connection/method.ts";
import type { McpTask } from "../tasks/mcp-task.ts";
import type { McpTasks } from "../tasks/mcp-tasks.ts";
import {
  changeKey,
  type ChangeReader,
  ChangeSender,
  encodeChange,
  subscriptionMeta,
} from "./change-sender.ts";
import { clientOf, encodeListenFilter, isWanted, type ListenFilter } from "./listen-filter.ts";

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

/** The sources of changes. */
interface ChangeSources {
  readonly features: ServerFeatures;
  readonly mcpTasks: () => McpTasks;
}

/**
 * One `subscriptions/listen`, from its acknowledgement to its end (docs/spec/modern.md#subscriptions). How it ends is decided
 * once: by the client, who is told nothing more, or by us, who say so.
 */
class Subscription implements ChangeReader {
  readonly outbox: Outbox;
  readonly #request: ActiveRequest;
  readonly #connection: Connection;
  readonly #filter: ListenFilter;
  readonly #sender: ChangeSender;
  readonly #sources: ChangeSources;
  readonly #ended = createDeferred<MethodReply>();
  readonly #stops: (() => void)[] = [];

  /** @param filter the part of the client's filter that is honoured */
  constructor(
    request: ActiveRequest,
    connection: Connection,
    filter: ListenFilter,
    sender: ChangeSender,
    sources: ChangeSources,
  ) {
    this.outbox = request.lane;
    this.#request = request;
    this.#connection = connection;
    this.#filter = filter;
    this.#sender = sender;
    this.#sources = sources;
  }

  /**
   * Acknowledges, then sends changes. The promise is the reply to the request: it resolves at the end, after `onEnd`.
   */
  start(onEnd: () => void): Promise<MethodReply> {
    this.#stops.push(onEnd);
    const { id, lane } = this.#request;
    const notifications = encodeListenFilter(this.#filter);
    lane.send(
      encodeNotification("notifications/subscriptions/acknowledged", {
        _meta: subscriptionMeta(id),
        notifications,
      }),
    );
    this.#watch();
    this.#request.endGracefully = () => this.#end(this.#result());
    this.#request.cancellation.onCancel(() => this.#end(cancelledReply));
    return this.#ended.promise;
  }

  /** We end it while the connection goes on: by a notification on a pipe, by the result over HTTP. */
  drop(reason: string): void {
    const { id, lane } = this.#request;
    if (!this.#connection.endsByNotification) return this.#end(this.#result());
    const params = { _meta: subscriptionMeta(id), requestId: id, reason };
    lane.send(encodeNotification("notifications/cancelled", params));
    this.#end(cancelledReply);
  }

  #watch(): void {
    const { features } = this.#sources;
    const { id, client } = this.#request;
    const stop = features.changes.listen((change) => {
      if (!isWanted(this.#filter, change, client.id)) return;
      this.#sender.send(this, changeKey(change), () => encodeChange(change, id));
    });
    this.#stops.push(stop);
    for (const uri of this.#filter.uris) {
      const end = features.resources?.watch?.(uri, client);
      if (end !== undefined) this.#stops.push(end);
    }
    this.#watchTasks(this.#filter.taskIds ?? new Set());
  }

  /**
   * Sends the current state of each task: it may have ended before the client could listen, which need not poll it any more
   * (docs/spec/modern.md#task-methods).
   */
  #watchTasks(taskIds: ReadonlySet<string>): void {
    if (taskIds.size === 0) return;
    const mcpTasks = this.#sources.mcpTasks();
    const { client } = this.#request;
    const stop = mcpTasks.onChange((task) => {
      if (task.ownerId === client.id && taskIds.has(task.id)) this.#tellTask(task);
    });
    this.#stops.push(stop);
    for (const id of taskIds) {
      const task = mcpTasks.find(client.id, id);
      if (task !== undefined) this.#tellTask(task);
    }
  }

  /** The task as it is when the client reads, not as it was when it did not. */
  #tellTask(task: McpTask): void {
    this.#sender.send(this, `task ${task.id}`, () =>
      encodeNotification("notifications/tasks", {
        _meta: subscriptionMeta(this.#request.id),
        ...task.notificationParams(),
      }),
    );
  }

  #result(): MethodReply {
    const { id, version } = this.#request;
    return resultReply(encodeComplete({}, version, { meta: subscriptionMeta(id) }));
  }

  #end(reply: MethodReply): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#sender.forget(this);
    this.#ended.resolve(reply);
  }
}
