import { startTimer, type Timer } from "../../base/cancellation.ts";
import { subscriptionsMax, changeRetryMs, changeRetryMsMax } from "../../base/limits.ts";
import type { Change, ServerFeatures } from "../../calls/features.ts";
import { encodeNotification, type Params, type RequestId } from "../../protocol/json-rpc.ts";
import { metaKeys } from "../../protocol/message.ts";
import type { Connection } from "../connection/connection.ts";
import type { Outbox, MethodReply } from "../connection/replies.ts";

/** A modern subscription, as those who keep it know it. */
interface OpenSubscription {
  /** The promise is the reply to the request: it resolves at the end, after `onEnd`. */
  start(onEnd: () => void): Promise<MethodReply>;
  /** Ends it while the connection goes on. */
  drop(reason: string): void;
}

/** The subscribers to changes, in both eras. Owned by the server's context. */
export class Subscriptions {
  readonly sender = new ChangeSender();
  readonly #features: ServerFeatures;
  readonly #audience: LegacyAudience;
  /** Oldest first. */
  readonly #open = new WeakMap<Connection, Set<OpenSubscription>>();

  constructor(features: ServerFeatures) {
    this.#features = features;
    this.#audience = new LegacyAudience(features, this.sender);
  }

  /**
   * Starts a modern subscription; resolves with the reply when it ends. Of too many on one connection the oldest
   * is ended: it is most likely the one that its client forgot.
   */
  open(connection: Connection, subscription: OpenSubscription): Promise<MethodReply> {
    const open = this.#open.get(connection) ?? new Set();
    this.#open.set(connection, open);
    const [oldest] = open;
    if (open.size >= subscriptionsMax) {
      oldest?.drop(`${subscriptionsMax} subscriptions are open on this connection`);
    }
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

  /** Changes that were reported while the session's stream was elsewhere, oldest first. */
  catchUp(connection: Connection, changes: Iterable<Change>): void {
    this.#audience.catchUp(connection, changes);
  }

  /** Sends the changes that wait for a slow reader. */
  flush(connection: Connection): void {
    this.sender.flush(connection);
  }

  /** The connection has ended. Without it a session that is gone would be kept forever. */
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
    const { clientId } = change;
    if (clientId !== undefined) return this.#tellEach(this.#members.get(clientId), change);
    for (const connections of this.#members.values()) this.#tellEach(connections, change);
  }

  /** Sends changes that a connection has missed; of several that are alike, one. */
  catchUp(connection: Connection, changes: Iterable<Change>): void {
    const latest = new Map<string, Change>();
    for (const change of changes) {
      const { clientId = connection.session.clientId } = change;
      if (clientId !== connection.session.clientId) continue;
      if (change.kind !== "resource" && !this.#features.changing.has(change.kind)) continue;
      latest.set(changeKey(change), change);
    }
    for (const change of latest.values()) this.#tellEach([connection], change);
  }

  #tellEach(connections: Iterable<Connection> = [], change: Change): void {
    for (const connection of connections) {
      if (!isFor(connection, change)) continue;
      this.#sender.send(connection, changeKey(change), () => encodeChange(change));
    }
  }
}

/**
 * A session may have begun again: until it says that it is ready it gets no notifications. In a fleet it gets them from the replica
 * that has its stream, which catches up on those from before.
 */
function isFor({ session, holdsStream }: Connection, change: Change): boolean {
  if (!session.isInitialized || holdsStream?.() === false) return false;
  return change.kind !== "resource" || session.subscribedUris.has(change.uri);
}

/** A subscriber to changes. */
export interface ChangeReader {
  readonly outbox: Outbox;
}

/** Time as the sender sees it; tests bring their own. */
export type StartTimer = (delayMs: number, fire: () => void) => Timer;

/** The notifications that wait for one reader, by key, in the order of arrival; encoded when they are sent. */
type Waiting = Map<string, () => string>;

/**
 * Tells readers of changes. For one that does not read just now a change waits, once for each key however often
 * it comes: the number that wait is bounded by the things that can change, not by how often they do.
 */
export class ChangeSender {
  readonly #startTimer: StartTimer;
  readonly #waiting = new Map<ChangeReader, Waiting>();
  #timer: Timer | undefined;
  #delayMs = changeRetryMs;

  constructor(start: StartTimer = startTimer) {
    this.#startTimer = start;
  }

  send(reader: ChangeReader, key: string, encode: () => string): void {
    const waiting = this.#waiting.get(reader);
    if (waiting !== undefined) {
      waiting.set(key, encode);
    } else if (reader.outbox.isCongested) {
      this.#waiting.set(reader, new Map([[key, encode]]));
      this.#retryAfter(changeRetryMs);
    } else {
      reader.outbox.send(encode());
    }
  }

  /** Sends all that waits for this reader, whether or not it reads. */
  flush(reader: ChangeReader): void {
    for (const encode of this.#waiting.get(reader)?.values() ?? []) reader.outbox.send(encode());
    this.#waiting.delete(reader);
  }

  /** Nothing more is sent to this reader. */
  forget(reader: ChangeReader): void {
    this.#waiting.delete(reader);
  }

  /** Readers who stay away, such as sessions without a stream, are looked at ever more rarely. */
  #retry(): void {
    for (const [reader, waiting] of this.#waiting) {
      drain(reader.outbox, waiting);
      if (waiting.size === 0) this.#waiting.delete(reader);
    }
    if (this.#waiting.size > 0) this.#retryAfter(Math.min(this.#delayMs * 2, changeRetryMsMax));
  }

  #retryAfter(delayMs: number): void {
    this.#timer?.stop();
    this.#delayMs = delayMs;
    this.#timer = this.#startTimer(delayMs, () => this.#retry());
  }
}

function drain(outbox: Outbox, waiting: Waiting): void {
  for (const [key, encode] of waiting) {
    if (outbox.isCongested) return;
    waiting.delete(key);
    outbox.send(encode());
  }
}

/** Changes with the same key say the same: one that waits stands for all of them. */
export function changeKey(change: Change): string {
  return change.kind === "resource" ? `resource ${change.uri}` : change.kind;
}

/** The notification of a change; `subscriptionId` is that of a modern subscription, with its JSON type. */
export function encodeChange(change: Change, subscriptionId?: RequestId): string {
  const tag =
    subscriptionId === undefined ? undefined : { _meta: subscriptionMeta(subscriptionId) };
  if (change.kind === "resource") {
    return encodeNotification("notifications/resources/updated", { ...tag, uri: change.uri });
  }
  return encodeNotification(`notifications/${change.kind}/list_changed`, tag);
}

/** `_meta` of every message of a subscription (docs/spec/modern.md#subscriptions). */
export function subscriptionMeta(id: RequestId): Params {
  return { [metaKeys.subscriptionId]: id };
}
