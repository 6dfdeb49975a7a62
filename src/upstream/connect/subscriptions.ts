import { upstreamSubscribeMsMax } from "../../base/upstream-limits.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import { type ChangeFilter, ChangeStream } from "./change-stream.ts";
import type { ConnectionEvents } from "./connection.ts";
import type { Greeting } from "./handshake.ts";
import type { Peer } from "./peer.ts";

/** Subscriptions of one connection, in the form of its era (RP4). */
export class Subscriptions {
  readonly #peer: Peer;
  readonly #greeting: Greeting;
  readonly #events: ConnectionEvents;
  readonly #uris = new Set<string>();
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

  /** Begins to hear of changed lists. */
  start(): void {
    if (this.#stream !== undefined && Object.keys(this.#filter()).length > 0) {
      void this.#ask(this.#stream);
    }
  }

  /** @throws ConnectionError */
  async subscribe(uri: string): Promise<boolean> {
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

  /** @throws ConnectionError */
  async unsubscribe(uri: string): Promise<void> {
    if (this.#stream === undefined) await this.#request("resources/unsubscribe", uri);
    else if (this.#uris.delete(uri)) await this.#ask(this.#stream);
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

  close(): void {
    this.#stream?.close();
  }

  /** One after the other: over HTTP a later agreement may arrive first, and would end the stream of the earlier one. */
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

  /** While nobody listened anything may have changed. */
  #tellGap(): void {
    for (const list of ["tools", "prompts", "resources"] as const) this.#events.onListChanged(list);
    for (const uri of this.#uris) this.#events.onResourceUpdated(uri);
  }
}
