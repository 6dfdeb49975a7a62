import type * as library from "@modelcontextprotocol/client";
import type { SSEClientTransport } from "@modelcontextprotocol/client";

import { messageOf } from "../../base/errors.ts";
import { ConnectionError } from "./connection.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { readHttpError } from "./http-errors.ts";
import type { HttpPlace } from "./http-transport.ts";
import { PacedPosts } from "./paced-posts.ts";
import type { Transport, TransportEvents, OutgoingMessage } from "./transport.ts";

/** HTTP as 2024-11-05 has it: one stream for all that the server says. */
export class SseTransport implements Transport {
  readonly hasRequestStreams = false;
  readonly #transport: SSEClientTransport;
  readonly #events: TransportEvents;
  #isOver = false;
  readonly #posts = new PacedPosts();

  /** Resolves when the server has named its address for messages. @throws ConnectionError */
  static async open(
    loaded: typeof library,
    { url, headers, auth }: HttpPlace,
    events: TransportEvents,
    signal: AbortSignal,
  ): Promise<SseTransport> {
    let refusal: ConnectionError | undefined;
    const guarded = createGuardedFetch(auth, (error) => link.#end(error));
    const fetchOnce = async (target: string | URL, init?: RequestInit): Promise<Response> => {
      try {
        return await guarded(target, init);
      } catch (error) {
        if (error instanceof ConnectionError) refusal = error;
        throw error;
      }
    };
    const transport = new loaded.SSEClientTransport(url, {
      fetch: fetchOnce,
      requestInit: { headers: { ...headers } },
    });
    const link: SseTransport = new SseTransport(transport, events);
    const abort = (): void => void transport.close();
    signal.addEventListener("abort", abort, { once: true });
    try {
      await transport.start();
    } catch (error) {
      link.#isOver = true;
      abort();
      throw (
        refusal ??
        new ConnectionError("refused", `There is no stream of events either: ${messageOf(error)}`)
      );
    } finally {
      signal.removeEventListener("abort", abort);
    }
    transport.onerror = (error) => {
      // The stream alone: what a POST is refused for is told to whoever sent it.
      if (error.name === "SseError")
        link.#end(new ConnectionError("lost", `The stream of the server broke: ${error.message}`));
    };
    return link;
  }

  private constructor(transport: SSEClientTransport, events: TransportEvents) {
    this.#transport = transport;
    this.#events = events;
    transport.onmessage = (message) => {
      if (!this.#isOver) events.onMessage(message, undefined);
    };
  }

  setVersion(version: string): void {
    this.#transport.setProtocolVersion(version);
  }

  async send(message: OutgoingMessage): Promise<void> {
    if (this.#isOver) throw new ConnectionError("lost", "The connection is closed.");
    const isRequest = message.id !== undefined && message.method !== undefined;
    const post = (): Promise<void> => this.#transport.send(message as never);
    try {
      await (isRequest ? post() : this.#posts.run(post));
    } catch (error) {
      throw readHttpError(error, true);
    }
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#posts.end();
    await this.#transport.close();
  }

  /** The library would connect anew, to a session that knows nothing of this one. */
  #end(error: ConnectionError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#transport.close();
    this.#events.onClosed(error);
  }
}
