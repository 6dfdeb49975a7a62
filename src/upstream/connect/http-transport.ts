import type * as library from "@modelcontextprotocol/client";
import type { JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { isObject } from "../../base/values.ts";
import { metaOf } from "../../protocol/message.ts";
import { encodeTraceparent, parseTraceparent } from "../../protocol/headers.ts";
import { Turns } from "../../base/turns.ts";
import {
  upstreamGoodbyeMsMax,
  upstreamPostsAtOnceMax,
  upstreamPostsWaitingMax,
  upstreamRequestsAtOnceMax,
  upstreamResumesMax,
  upstreamTakenMsMax,
} from "../../base/upstream-limits.ts";
import {
  ConnectionError,
  type OutgoingMessage,
  type RequestRoute,
  type ClientTransport,
  type TransportEvents,
} from "./connection.ts";
import { createServerFetch, type FetchPlace, withPatience, withPauses } from "./server-fetch.ts";
import { errorInBody, isHttpError, readHttpError, SessionLostError } from "./http-errors.ts";

/**
 * Sends notifications and answers to one HTTP server, a few at a time: a flood of its questions must not exhaust the
 * connections of the Worker, and unsent messages must not pile up.
 */
export class PacedPosts implements Disposable {
  readonly #turns = new Turns(upstreamPostsAtOnceMax);
  readonly #ended = new AbortController();
  #count = 0;

  /** @throws ConnectionError `busy` when too many wait; the error of `post`; AppError `cancelled` at the end */
  async run(post: () => Promise<void>): Promise<void> {
    if (this.#count >= upstreamPostsWaitingMax) {
      throw new ConnectionError("busy", "The server does not accept messages.");
    }
    this.#count += 1;
    try {
      using _turn = await this.#turns.take(this.#ended.signal);
      await post();
    } finally {
      this.#count -= 1;
    }
  }

  /** Waiting messages are no longer sent. */
  [Symbol.dispose](): void {
    this.#ended.abort();
  }
}

export interface HttpPlace extends FetchPlace {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

type Fetch = ReturnType<typeof createServerFetch>;

/** The trace that a request belongs to, for proxies and servers that look at headers alone (W3C Trace Context). */
function traceHeaders({ params }: OutgoingMessage): Readonly<Record<string, string>> {
  const meta = isObject(params) ? metaOf(params) : undefined;
  const { traceparent, tracestate } = meta ?? {};
  const context = parseTraceparent(traceparent);
  if (context === undefined) return {};
  const headers = { traceparent: encodeTraceparent(context) };
  const isSafe = typeof tracestate === "string" && /^[\x20-\x7e]{1,512}$/.test(tracestate);
  return isSafe ? { ...headers, tracestate } : headers;
}

/** True for a complete answer. A request that was only accepted (202) may be answered on another stream. */
function isWholeAnswer({ ok, status, headers }: Response): boolean {
  return ok && status !== 202 && headers.get("content-type")?.includes("json") === true;
}

/** For broken streams, when the server names no delay. */
const reconnectionOptions = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 16_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: upstreamResumesMax,
};

/** The library's type for a message, of which it looks at `id` and `method` alone. */
export function toLibrary(message: OutgoingMessage): JSONRPCMessage {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Peer` makes requests, results and errors alone
  return message as JSONRPCMessage;
}

/**
 * Streamable HTTP. Each request has its own transport of the library: so it is known on whose stream a message came,
 * each broken stream is resumed separately, and one with too large a message ends alone.
 */
export class HttpTransport implements ClientTransport {
  readonly hasRequestStreams = true;
  readonly #library: typeof library;
  readonly #place: HttpPlace;
  readonly #events: TransportEvents;
  /** Sends notifications and answers; in a session it also receives messages that belong to no request. */
  #general: StreamableHTTPClientTransport | undefined;
  #sessionId: string | undefined;
  #version: string | undefined;
  readonly #open = new Set<StreamableHTTPClientTransport>();
  readonly #posts = new PacedPosts();
  readonly #turns = new Turns(upstreamRequestsAtOnceMax);
  #isOver = false;

  constructor(loaded: typeof library, place: HttpPlace, events: TransportEvents) {
    this.#library = loaded;
    this.#place = place;
    this.#events = events;
  }

  setVersion(version: string): void {
    this.#version = version;
  }

  async send(message: OutgoingMessage, route?: RequestRoute): Promise<void> {
    if (this.#isOver) throw new ConnectionError("lost", "The connection is closed.");
    const { id } = message;
    if (typeof id === "number" && route !== undefined) return this.#sendRequest(message, id, route);
    this.#general ??= await this.#createGeneral();
    const general = this.#general;
    try {
      await this.#posts.run(() => general.send(toLibrary(message)));
    } catch (error) {
      throw this.#note(readHttpError(error, this.#sessionId !== undefined));
    }
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#posts[Symbol.dispose]();
    const general = this.#general;
    if (general?.sessionId !== undefined) {
      const patience = Bun.sleep(upstreamGoodbyeMsMax);
      await Promise.race([general.terminateSession().catch(() => {}), patience]);
    }
    for (const transport of this.#open) void transport.close();
    this.#open.clear();
  }

  async #sendRequest(message: OutgoingMessage, id: number, route: RequestRoute): Promise<void> {
    const turn = await this.#turns.take(route.signal);
    if (route.signal.aborted) return turn[Symbol.dispose]();
    route.signal.addEventListener("abort", () => turn[Symbol.dispose](), { once: true });
    const lost = (error: ConnectionError): void => {
      this.#events.onLost(id, this.#note(error));
      this.#discard(transport);
    };
    let isDocument = false;
    const guarded = createServerFetch(this.#place, lost);
    const transport = await this.#create(async (url, init) => {
      const response = await guarded(url, init);
      isDocument = isWholeAnswer(response);
      return response;
    });
    transport.onmessage = (received) => {
      // Before the answer is delivered: the next request already belongs to the session.
      if (message.method === "initialize") this.#sessionId = transport.sessionId;
      this.#events.onMessage(received, id);
    };
    let isSent = false;
    transport.onerror = (error) => {
      // Errors of sending are also thrown.
      if (isSent) this.#stray(error);
    };
    route.signal.addEventListener("abort", () => this.#discard(transport), { once: true });
    const onRequestStreamEnd = (): void => {
      lost(new ConnectionError("lost", "The server ended the stream before its answer."));
    };
    try {
      const headers = { ...traceHeaders(message), ...route.headers };
      await transport.send(toLibrary(message), {
        requestSignal: route.signal,
        headers,
        onRequestStreamEnd,
      });
      isSent = true;
      if (isDocument && !route.signal.aborted)
        lost(new ConnectionError("protocol", "It answered with a document for another request."));
    } catch (error) {
      this.#refuse(message, id, error);
    }
  }

  /** A refusal may carry the JSON-RPC answer in its body. @throws ConnectionError */
  #refuse(message: OutgoingMessage, id: number, error: unknown): void {
    const answer = errorInBody(error, id);
    if (answer !== undefined && !this.#isProbe(message, error))
      return this.#events.onMessage(answer, id);
    throw this.#note(readHttpError(error, this.#sessionId !== undefined));
  }

  /** A server that refuses `initialize` with these statuses may still accept an older form. */
  #isProbe({ method }: OutgoingMessage, error: unknown): boolean {
    return method === "initialize" && isHttpError(error) && [404, 405].includes(error.data.status);
  }

  /** The end of the session ends the whole connection. */
  #note(error: ConnectionError): ConnectionError {
    if (error instanceof SessionLostError && !this.#isOver) {
      this.#isOver = true;
      queueMicrotask(() => this.#events.onClosed(error));
    }
    return error;
  }

  async #createGeneral(): Promise<StreamableHTTPClientTransport> {
    const onTooLarge = (error: ConnectionError): void => this.#events.onStray(error.message);
    const guarded = createServerFetch(this.#place, onTooLarge);
    const transport = await this.#create(withPatience(guarded, upstreamTakenMsMax));
    transport.onmessage = (received) => this.#events.onMessage(received, undefined);
    transport.onerror = (error) => this.#stray(error);
    return transport;
  }

  /** An error after scorpiox-code has ended the stream itself is expected. */
  #stray(error: Error): void {
    if (this.#isOver || error.name === "AbortError") return;
    this.#events.onStray(readHttpError(error, false).message);
  }

  async #create(fetch: Fetch): Promise<StreamableHTTPClientTransport> {
    const { url, headers } = this.#place;
    const transport = new this.#library.StreamableHTTPClientTransport(url, {
      fetch: withPauses(fetch),
      requestInit: { headers: { ...headers } },
      reconnectionOptions,
      ...(this.#sessionId === undefined ? {} : { sessionId: this.#sessionId }),
      ...(this.#version === undefined ? {} : { protocolVersion: this.#version }),
    });
    this.#open.add(transport);
    await transport.start();
    return transport;
  }

  #discard(transport: StreamableHTTPClientTransport): void {
    this.#open.delete(transport);
    void transport.close();
  }
}
