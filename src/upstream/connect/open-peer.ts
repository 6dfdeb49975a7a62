import type { SSEClientTransport } from "@modelcontextprotocol/client";
import type * as library from "@modelcontextprotocol/client";

import { messageOf } from "../../base/errors.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import {
  ConnectionError,
  type Endpoint,
  type OutgoingMessage,
  type ClientTransport,
  type TransportEvents,
} from "./connection.ts";
import { createServerFetch } from "./server-fetch.ts";
import { readHttpError } from "./http-errors.ts";
import { type HttpPlace, HttpTransport, PacedPosts, toLibrary } from "./http-transport.ts";
import { Peer, type PeerEvents } from "./peer.ts";
import { StdioClientTransport } from "./stdio-transport.ts";

/** Opens connections to one server, and tracks the processes that were started for them. */
export class PeerOpener {
  readonly #endpoint: Endpoint;
  readonly #signal: AbortSignal;
  readonly #processes = new Set<UpstreamProcess>();

  constructor(endpoint: Endpoint, signal: AbortSignal) {
    this.#endpoint = endpoint;
    this.#signal = signal;
  }

  /** @throws ConnectionError */
  async open(form: "usual" | "sse", eventsOf: (peer: () => Peer) => PeerEvents): Promise<Peer> {
    const peer: Peer = new Peer(eventsOf(() => peer));
    const endpoint = this.#endpoint;
    if (endpoint.transport === "stdio") {
      // Two at a time might need the same file or port.
      await this.#endAll();
      const process = await endpoint.spawn();
      this.#processes.add(process);
      peer.transport = new StdioClientTransport(process, peer);
      return peer;
    }
    const place = readPlace(endpoint);
    const loaded = await loadClientLibrary();
    peer.transport =
      form === "sse"
        ? await SseTransport.open(loaded, place, peer, this.#signal)
        : new HttpTransport(loaded, place, peer);
    return peer;
  }

  /** Ends the processes of attempts that failed; that of `kept` belongs to its owner. */
  discardAllBut(kept: Peer | undefined): void {
    for (const process of this.#processes) {
      if (process.pid === kept?.transport.pid) this.#processes.delete(process);
    }
    void this.#endAll();
  }

  async #endAll(): Promise<void> {
    const processes = [...this.#processes];
    this.#processes.clear();
    await Promise.allSettled(processes.map((process) => process[Symbol.asyncDispose]()));
  }
}

/** @throws ConnectionError for an address that is not an HTTP URL */
function readPlace(endpoint: Extract<Endpoint, { transport: "http" }>): HttpPlace {
  const { url, headers, auth, proxyOf } = endpoint;
  const parsed = URL.parse(url);
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) {
    throw new ConnectionError("refused", "The URL of the server must be an http or https URL.");
  }
  return { url: parsed, headers, ...(auth ? { auth } : {}), ...(proxyOf ? { proxyOf } : {}) };
}

let loading: Promise<typeof library> | undefined;

/**
 * The official client library, whose transports carry HTTP. Loaded with the first connection of that kind: it takes 60
 * ms and 27 MB, and servers over a pipe do not need it.
 */
function loadClientLibrary(): Promise<typeof library> {
  loading ??= import("@modelcontextprotocol/client");
  return loading;
}

/** The HTTP transport of 2024-11-05: one stream for all messages of the server. */
class SseTransport implements ClientTransport {
  readonly hasRequestStreams = false;
  readonly #transport: SSEClientTransport;
  readonly #events: TransportEvents;
  #isOver = false;
  readonly #posts = new PacedPosts();

  /** Resolves when the server has named its address for messages. @throws ConnectionError */
  static async open(
    loaded: typeof library,
    { url, headers, ...place }: HttpPlace,
    events: TransportEvents,
    signal: AbortSignal,
  ): Promise<SseTransport> {
    let refusal: ConnectionError | undefined;
    const guarded = createServerFetch(place, (error) => opened.#end(error));
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
    const opened: SseTransport = new SseTransport(transport, events);
    const abort = (): void => void transport.close();
    signal.addEventListener("abort", abort, { once: true });
    try {
      await transport.start();
    } catch (error) {
      opened.#isOver = true;
      abort();
      throw (
        refusal ??
        new ConnectionError(
          "refused",
          `Its event stream cannot be opened either: ${messageOf(error)}`,
        )
      );
    } finally {
      signal.removeEventListener("abort", abort);
    }
    transport.onerror = (error) => {
      // Only errors of the stream: the sender of a POST gets its error.
      if (error.name === "SseError")
        opened.#end(
          new ConnectionError("lost", `The stream of the server broke: ${error.message}`),
        );
    };
    return opened;
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
    const post = (): Promise<void> => this.#transport.send(toLibrary(message));
    try {
      await (isRequest ? post() : this.#posts.run(post));
    } catch (error) {
      throw readHttpError(error, true);
    }
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#posts[Symbol.dispose]();
    await this.#transport.close();
  }

  /** Otherwise the library would reconnect, to a session that does not know this one. */
  #end(error: ConnectionError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#transport.close();
    this.#events.onClosed(error);
  }
}
