import { type EngineConnection, SharedEngineError } from "./engine-connection.ts";
import { messageOf } from "../../base/errors.ts";
import { sharedReplyMsMax } from "../../base/limits.ts";
import type { SharedEngine } from "./shared-engine.ts";

type OnMessage = (message: string) => void;

interface Channel {
  readonly listeners: Set<OnMessage>;
  /** Called when messages may have been missed. */
  readonly onGap: Set<() => void>;
}

/**
 * Channels of the engine, over a connection of its own. A message reaches the listeners of that moment; after the connection
 * broke, each listener hears that it may have missed some.
 */
export class Channels implements Disposable {
  readonly #engine: SharedEngine;
  readonly #connection: EngineConnection;
  readonly #channels = new Map<string, Channel>();
  /** The subscriptions of the present connection. */
  #subscribed = new Map<string, Promise<unknown>>();

  constructor(engine: SharedEngine) {
    this.#engine = engine;
    this.#connection = engine.connect({ onReady: (client) => void this.#again(client) });
  }

  /**
   * Resolves once messages of this channel arrive.
   * @param onGap called after each return of the connection: some may be missing
   * @returns how to stop
   * @throws SharedEngineError
   */
  async listen(
    name: string,
    onMessage: OnMessage,
    onGap: () => void = () => {},
  ): Promise<() => void> {
    const client = await this.#connection.ready(sharedReplyMsMax);
    const known = this.#channels.get(name);
    const channel = known ?? { listeners: new Set(), onGap: new Set() };
    channel.listeners.add(onMessage);
    channel.onGap.add(onGap);
    this.#channels.set(name, channel);
    try {
      await this.#subscribe(client, name);
    } catch (error) {
      this.#stop(name, onMessage, onGap);
      throw new SharedEngineError("late", `${this.#engine.label} broke off: ${messageOf(error)}.`);
    }
    return () => this.#stop(name, onMessage, onGap);
  }

  /** Nobody may be listening. @throws SharedEngineError */
  async publish(name: string, message: string): Promise<void> {
    await this.#engine.request("PUBLISH", name, message);
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  #stop(name: string, onMessage: OnMessage, onGap: () => void): void {
    const channel = this.#channels.get(name);
    channel?.listeners.delete(onMessage);
    channel?.onGap.delete(onGap);
    if (channel === undefined || channel.listeners.size > 0) return;
    this.#channels.delete(name);
    if (this.#subscribed.delete(name)) void this.#unsubscribe(name);
  }

  async #unsubscribe(name: string): Promise<void> {
    try {
      await this.#connection.client?.unsubscribe(name);
    } catch {
      // A client that has just connected again may have no subscription to take back.
    }
  }

  /** Once for each connection: the engine answers in order, and a second listener waits for the same answer. */
  #subscribe(client: Bun.RedisClient, name: string): Promise<unknown> {
    const known = this.#subscribed.get(name);
    if (known !== undefined) return known;
    const subscribing = within(
      client.subscribe(name, (message: string) => this.#hear(name, message)),
      () => {
        if (this.#connection.client === client) this.#connection.drop("it does not answer");
      },
    );
    this.#subscribed.set(name, subscribing);
    return subscribing;
  }

  #hear(name: string, message: string): void {
    for (const listener of this.#channels.get(name)?.listeners ?? []) listener(message);
  }

  async #again(client: Bun.RedisClient): Promise<void> {
    this.#subscribed = new Map();
    try {
      for (const name of this.#channels.keys()) await this.#subscribe(client, name);
    } catch (error) {
      if (this.#connection.client === client) this.#connection.drop(messageOf(error));
      return;
    }
    for (const { onGap } of this.#channels.values()) for (const tell of onGap) tell();
  }
}

/** Calls `giveUp` when `reply` takes longer than a reply may. */
async function within(reply: Promise<unknown>, giveUp: () => void): Promise<unknown> {
  const timer = setTimeout(giveUp, sharedReplyMsMax);
  try {
    return await reply;
  } finally {
    clearTimeout(timer);
  }
}
