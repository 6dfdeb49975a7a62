import { setTimeout as sleep } from "node:timers/promises";

import { decodeResponse, undecoded } from "../../base/decode-response.ts";
import { messageOf } from "../../base/errors.ts";
import {
  upstreamErrorBodyBytesMax,
  upstreamMessageBytesMax,
  upstreamResumeMsMin,
  upstreamRetryAfterMsMax,
} from "../../base/upstream-limits.ts";
import { JsonWeight } from "../../base/weight.ts";
import { fetchFailure } from "../../network/dial.ts";
import type { ProxyOf } from "./client-proxy.ts";
import { ConnectionError, type ServerAuth } from "./connection.ts";
import { noteRead } from "./line-reader.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * `fetch` for one server: adds its token, turns refusals of it and of too many requests into a `ConnectionError`, and
 * bounds the bodies. The library decides on redirects, which it follows within the origin only.
 * @param onTooLarge called when a message of a response is longer than the limit
 */
export function createServerFetch(
  { auth, proxyOf }: FetchPlace,
  onTooLarge: (error: ConnectionError) => void,
): Fetch {
  return async (url, given) => {
    const init = proxyOf === undefined ? given : withProxy(given, url, proxyOf);
    const response = await fetchWithToken(auth, url, init);
    if (response.status === 429 || response.status === 503) throw await busy(response);
    return bounded(response, onTooLarge);
  };
}

export interface FetchPlace {
  readonly auth?: ServerAuth;
  /** @see Endpoint */
  readonly proxyOf?: ProxyOf;
}

/** @throws ConnectionError for a proxy that cannot be used */
function withProxy(
  init: RequestInit | undefined,
  url: string | URL,
  proxyOf: ProxyOf,
): BunFetchRequestInit {
  try {
    const proxy = proxyOf(new URL(url));
    return proxy === undefined ? { ...init } : { ...init, proxy };
  } catch (error) {
    throw new ConnectionError("unreachable", messageOf(error));
  }
}

/** Renews a refused token once. @throws ConnectionError */
async function fetchWithToken(
  auth: ServerAuth | undefined,
  url: string | URL,
  init: RequestInit | undefined,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const token = await auth?.token(url);
    const response = await send(url, withToken(init, token));
    const { status } = response;
    if (status !== 401 && !(auth !== undefined && wantsMoreScope(response))) return response;
    try {
      if (attempt === 1 && (await auth?.refused(response, token)) === true) continue;
    } finally {
      await response.body?.cancel().catch(() => {});
    }
    const what =
      status === 401
        ? "wants a login, or rejects the current one"
        : "wants a login with more rights";
    throw new ConnectionError("needs_auth", `The server ${what} (HTTP ${status}).`);
  }
}

/** A 403 without this is a refusal that no login fixes. */
function wantsMoreScope({ status, headers }: Response): boolean {
  return status === 403 && headers.get("www-authenticate")?.includes("insufficient_scope") === true;
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
  if (token === undefined) return { ...init };
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}

async function send(url: string | URL, init: RequestInit): Promise<Response> {
  try {
    return decodeResponse(await fetch(url, undecoded(init)));
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ConnectionError(
      "unreachable",
      `The server cannot be reached: ${fetchFailure(error)}.`,
    );
  }
}

async function busy(response: Response): Promise<ConnectionError> {
  await response.body?.cancel().catch(() => {});
  const text = `The server is overloaded (HTTP ${response.status}).`;
  return new ConnectionError("busy", text, retryAfterMs(response.headers.get("retry-after")));
}

/** Seconds, or a date. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null || value.trim() === "") return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), upstreamRetryAfterMsMax);
}

function bounded(response: Response, onTooLarge: (error: ConnectionError) => void): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isEventStream = headers.get("content-type")?.includes("text/event-stream") === true;
  const bytesMax = response.ok ? upstreamMessageBytesMax : upstreamErrorBodyBytesMax;
  const tooLarge = (excess: string): ConnectionError => {
    const text = `The server sent a message of more than ${excess}.`;
    const error = new ConnectionError("too_large", text);
    if (response.ok) onTooLarge(error);
    return error;
  };
  return new Response(boundBody(body, isEventStream, tooLarge, bytesMax), {
    status,
    statusText,
    headers,
  });
}

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * The body of a response, ended with an error when one message in it exceeds a limit: the whole body of a document, or
 * the part between two empty lines of an event stream.
 * @param error makes the error for an excess: `N bytes`, `N values`
 */
export function boundBody(
  body: ReadableStream<Uint8Array>,
  isEventStream: boolean,
  error: (excess: string) => Error,
  bytesMax: number = upstreamMessageBytesMax,
): ReadableStream<Uint8Array> {
  const size = new MessageSize(isEventStream, bytesMax);
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const excess = size.note(chunk);
        if (excess === undefined) controller.enqueue(chunk);
        else controller.error(error(excess));
      },
    }),
  );
}

/** Counts the bytes since the last empty line. */
class MessageSize {
  #bytes = 0;
  readonly #weight = new JsonWeight();
  #isLineEmpty = true;

  constructor(
    private readonly isEventStream: boolean,
    private readonly bytesMax: number,
  ) {}

  /** The excess, if one of the messages in `chunk` exceeds a limit. */
  note(chunk: Uint8Array): string | undefined {
    if (!this.isEventStream) return this.#add(chunk);
    let excess: string | undefined;
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const isEmpty = this.#isLineEmpty && isBlank(chunk, start, end);
      excess ??= this.#add(chunk.subarray(start, end + 1));
      if (isEmpty) this.#reset();
      this.#isLineEmpty = true;
      start = end + 1;
    }
    excess ??= this.#add(chunk.subarray(start));
    this.#isLineEmpty &&= isBlank(chunk, start, chunk.length);
    return excess;
  }

  #add(bytes: Uint8Array): string | undefined {
    this.#bytes += bytes.length;
    noteRead(bytes.length);
    this.#weight.add(bytes);
    return this.#bytes > this.bytesMax ? `${this.bytesMax} bytes` : this.#weight.excess;
  }

  #reset(): void {
    this.#bytes = 0;
    this.#weight.reset();
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  return end === start || (end === start + 1 && bytes[start] === carriageReturn);
}

/**
 * Limits the time of each POST: without a waiting call it would hang forever on a silent server, and the number of
 * connections is limited.
 */
export function withPatience(inner: Fetch, postMsMax: number): Fetch {
  return (url, init = {}) => {
    if (init.method !== "POST") return inner(url, init);
    const signals = [AbortSignal.timeout(postMsMax), ...(init.signal ? [init.signal] : [])];
    return inner(url, { ...init, signal: AbortSignal.any(signals) });
  };
}

/**
 * Limits reconnections: a server that ends its stream at once, and wants an immediate reconnection, must not be asked
 * thousands of times a second.
 */
export function withPauses(inner: Fetch): Fetch {
  let nextAt = 0;
  return async (url, init = {}) => {
    if (init.method !== "GET") return inner(url, init);
    const waitMs = nextAt - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, init.signal ? { signal: init.signal } : {});
    nextAt = performance.now() + upstreamResumeMsMin;
    return inner(url, init);
  };
}
