import { startTimer, type Timer } from "../../base/cancellation.ts";
import {
  upstreamListenAgainMs,
  upstreamListenAgainMsMax,
  upstreamSubscribeMsMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { metaKeys, metaOf } from "../../protocol/message.ts";
import { ConnectionError, type ConnectionEvents } from "./connection.ts";
import type { Greeting } from "./handshake.ts";
import type { Peer } from "./peer.ts";

interface Subscribed {
  readonly subscribers: Set<string>;
  readonly isGranted: Promise<boolean>;
}

/** Subscriptions of one connection, in the form of its era (RP4). */
export class ConnectionSubscriptions implements Disposable {
  readonly #peer: Peer;
  readonly #greeting: Greeting;
  readonly #events: ConnectionEvents;
  readonly #uris = new Set<string>();
  /** Each resource with its subscribers, and whether the server agreed. */
  readonly #subscribed = new Map<string, Subscribed>();
  readonly #stream: ChangeStream | undefined;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(
    peer: Peer,
    greeting: Greeting,
    events: ConnectionEvents,
    withEnvelope: (params: Params) => Params,
  ) {
    this.#peer = peer;
    this.#greeting = greeting;
    this.#events = events;
    if (greeting.era === "modern") {
      this.#stream = new ChangeStream(peer, withEnvelope, () => this.#tellGap());
    }
  }

  /** Starts to listen for changed lists. */
  start(): void {
    if (this.#stream !== undefined && Object.keys(this.#filter()).length > 0) {
      void this.#ask(this.#stream);
    }
  }

  /** Asks the server for the first subscriber of a resource only. @throws ConnectionError */
  async subscribe(uri: string, subscriber: string): Promise<boolean> {
    const known = this.#subscribed.get(uri);
    if (known !== undefined) {
      known.subscribers.add(subscriber);
      return known.isGranted;
    }
    const subscribed = { subscribers: new Set([subscriber]), isGranted: this.#begin(uri) };
    this.#subscribed.set(uri, subscribed);
    const isGranted = await subscribed.isGranted.catch((error: unknown) => {
      this.#drop(uri, subscribed);
      throw error;
    });
    if (!isGranted) this.#drop(uri, subscribed);
    return isGranted;
  }

  /** Tells the server of the end of a resource's last subscriber only. @throws ConnectionError */
  async unsubscribe(uri: string, subscriber: string): Promise<void> {
    const known = this.#subscribed.get(uri);
    if (known === undefined || !known.subscribers.delete(subscriber)) return;
    if (known.subscribers.size > 0) return;
    this.#drop(uri, known);
    if (this.#stream === undefined) await this.#request("resources/unsubscribe", uri);
    else if (this.#uris.delete(uri)) await this.#ask(this.#stream);
  }

  /** Ends all subscriptions of a subscriber. */
  forget(subscriber: string): void {
    for (const uri of this.#subscribed.keys()) this.unsubscribe(uri, subscriber).catch(() => {});
  }

  #drop(uri: string, subscribed: Subscribed): void {
    if (this.#subscribed.get(uri) === subscribed) this.#subscribed.delete(uri);
  }

  async #begin(uri: string): Promise<boolean> {
    const { resources } = this.#greeting.capabilities;
    if (!isObject(resources) || resources.subscribe !== true) return false;
    if (this.#stream === undefined) return this.#request("resources/subscribe", uri);
    this.#uris.add(uri);
    const agreed = await this.#ask(this.#stream);
    const uris: unknown = agreed?.resourceSubscriptions;
    const isAgreed = Array.isArray(uris) && uris.includes(uri);
    if (!isAgreed) this.#uris.delete(uri);
    return isAgreed;
  }

  onNotification(method: string, params: Params): void {
    if (method === "notifications/subscriptions/acknowledged") this.#stream?.onAgreed(params);
    else if (method === "notifications/cancelled") this.#stream?.onDropped(params.requestId);
    else if (method === "notifications/tools/list_changed") this.#events.onListChanged("tools");
    else if (method === "notifications/prompts/list_changed") this.#events.onListChanged("prompts");
    else if (method === "notifications/resources/list_changed")
      this.#events.onListChanged("resources");
    else if (method === "notifications/resources/updated" && typeof params.uri === "string") {
      this.#events.onResourceUpdated(params.uri);
    }
  }

  [Symbol.dispose](): void {
    this.#stream?.[Symbol.dispose]();
  }

  /** One after the other: over HTTP the later agreement may arrive first, and would end the stream of the earlier one. */
  #ask(stream: ChangeStream): Promise<Params | undefined> {
    const asked = this.#asking.then(() => stream.ask(this.#filter()));
    this.#asking = asked.catch(() => {});
    return asked;
  }

  async #request(method: string, uri: string): Promise<boolean> {
    const { signal } = new AbortController();
    const timeoutMs = upstreamSubscribeMsMax;
    const reply = await this.#peer.request({ method, params: { uri }, signal, timeoutMs });
    return reply.kind === "result";
  }

  #filter(): ChangeFilter {
    const { tools, prompts, resources } = this.#greeting.capabilities;
    const changes = (capability: unknown): boolean =>
      isObject(capability) && capability.listChanged === true;
    return {
      ...(changes(tools) ? { toolsListChanged: true } : {}),
      ...(changes(prompts) ? { promptsListChanged: true } : {}),
      ...(changes(resources) ? { resourcesListChanged: true } : {}),
      ...(this.#uris.size > 0 ? { resourceSubscriptions: [...this.#uris] } : {}),
    };
  }

  /** Anything may have changed while nothing listened. */
  #tellGap(): void {
    for (const list of ["tools", "prompts", "resources"] as const) this.#events.onListChanged(list);
    for (const uri of this.#uris) this.#events.onResourceUpdated(uri);
  }
}

/** Failures that may not occur again. */
const passing: ReadonlySet<string> = new Set(["lost", "unreachable", "busy"]);

/** The changes that a modern server is asked to announce. */
interface ChangeFilter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

interface Listening {
  readonly id: number;
  readonly end: AbortController;
  /** The changes that the server agreed to announce; undefined when it refused. */
  readonly agreed: Promise<Params | undefined>;
}

/**
 * The one `subscriptions/listen` of a connection to a modern server. It is opened again when it ends, or when the
 * filter has changed: the new one before the old one ends, so that nothing is missed.
 */
class ChangeStream implements Disposable {
  readonly #peer: Peer;
  readonly #withEnvelope: (params: Params) => Params;
  readonly #onGap: () => void;
  readonly #waiting = new Map<number, (agreed: Params) => void>();
  #filter: ChangeFilter = {};
  #current: Listening | undefined;
  #again: Timer | undefined;
  #delayMs = upstreamListenAgainMs;
  #isOver = false;

  /** @param onGap called when changes may have been missed */
  constructor(peer: Peer, withEnvelope: (params: Params) => Params, onGap: () => void) {
    this.#peer = peer;
    this.#withEnvelope = withEnvelope;
    this.#onGap = onGap;
  }

  /** Resolves with the changes that the server agreed to announce; undefined when it does not support subscriptions. */
  async ask(filter: ChangeFilter): Promise<Params | undefined> {
    this.#filter = filter;
    const before = this.#current;
    if (Object.keys(filter).length === 0) {
      this.#current = undefined;
      before?.end.abort();
      return undefined;
    }
    const next = this.#listen();
    this.#current = next;
    const agreed = await next.agreed;
    before?.end.abort();
    return agreed;
  }

  /** `notifications/subscriptions/acknowledged`. */
  onAgreed(params: Params): void {
    const id = metaOf(params)?.[metaKeys.subscriptionId];
    const { notifications } = params;
    if (typeof id === "number")
      this.#waiting.get(id)?.(isObject(notifications) ? notifications : {});
  }

  /** A server over a pipe ends a subscription by cancelling it. */
  onDropped(id: unknown): void {
    if (typeof id !== "number" || !this.#waiting.has(id)) return;
    this.#peer.onLost(id, new ConnectionError("lost", "The server ended the subscription."));
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#again?.stop();
    this.#current?.end.abort();
  }

  #listen(): Listening {
    const end = new AbortController();
    const { promise: agreed, resolve } = Promise.withResolvers<Params | undefined>();
    let id = 0;
    const onId = (given: number): void => {
      id = given;
      this.#waiting.set(id, (notifications) => {
        this.#delayMs = upstreamListenAgainMs;
        resolve(notifications);
      });
    };
    const params = this.#withEnvelope({ notifications: this.#filter });
    const limit = startTimer(upstreamSubscribeMsMax, () => resolve(undefined));
    const request = { method: "subscriptions/listen", params, signal: end.signal, onId };
    const ended = this.#peer.request(request).then(
      (reply) => reply.kind === "result",
      (error: unknown) => error instanceof ConnectionError && passing.has(error.failure),
    );
    void ended.then((mayReopen) => {
      limit.stop();
      resolve(undefined);
      this.#waiting.delete(id);
      if (mayReopen && this.#current?.id === id) this.#listenLater();
    });
    return { id, end, agreed };
  }

  #listenLater(): void {
    if (this.#isOver) return;
    const delayMs = this.#delayMs;
    this.#delayMs = Math.min(delayMs * 2, upstreamListenAgainMsMax);
    this.#again = startTimer(delayMs, () => {
      if (this.#isOver) return;
      this.#current = this.#listen();
      void this.#current.agreed.then((agreed) => {
        if (agreed !== undefined) this.#onGap();
      });
    });
  }
}
