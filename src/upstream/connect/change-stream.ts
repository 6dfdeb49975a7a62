import { startTimer, type Timer } from "../../base/timer.ts";
import {
  upstreamListenAgainMs,
  upstreamListenAgainMsMax,
  upstreamSubscribeMsMax,
} from "../../base/upstream-limits.ts";
import { metaKeys, metaOf } from "../../protocol/envelope.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import { ConnectionError } from "./connection.ts";
import type { Peer } from "./peer.ts";

/** What may be over when it is tried again. */
const passing: ReadonlySet<string> = new Set(["lost", "unreachable", "busy"]);

/** What a modern server is asked to tell. */
export interface ChangeFilter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

interface Listening {
  readonly id: number;
  readonly end: AbortController;
  /** What the server agreed to tell; undefined when it refused. */
  readonly agreed: Promise<Params | undefined>;
}

/**
 * The one `subscriptions/listen` of a connection to a modern server. It is opened again when it ends, and anew when what is
 * asked for has changed: the new one before the old one ends, so that nothing is missed.
 */
export class ChangeStream {
  readonly #peer: Peer;
  readonly #withEnvelope: (params: Params) => Params;
  readonly #onGap: () => void;
  readonly #waiting = new Map<number, (agreed: Params) => void>();
  #filter: ChangeFilter = {};
  #current: Listening | undefined;
  #again: Timer | undefined;
  #delayMs = upstreamListenAgainMs;
  #isOver = false;

  /** @param onGap told when changes may have been missed */
  constructor(peer: Peer, withEnvelope: (params: Params) => Params, onGap: () => void) {
    this.#peer = peer;
    this.#withEnvelope = withEnvelope;
    this.#onGap = onGap;
  }

  /** Resolves with what the server agreed to tell; undefined when it knows no subscriptions. */
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

  /** A server over a pipe that ends a subscription says so by cancelling it. */
  onDropped(id: unknown): void {
    if (typeof id !== "number" || !this.#waiting.has(id)) return;
    this.#peer.onLost(id, new ConnectionError("lost", "The server ended the subscription."));
  }

  close(): void {
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
