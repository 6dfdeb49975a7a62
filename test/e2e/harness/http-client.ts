import { EventReader } from "./http-events.ts";
import { metaKeys, modern, modernVersion } from "./messages.ts";
import type { ServerMessage } from "./server.ts";
import { WireCheck } from "./wire-check.ts";

type Headers = Readonly<Record<string, string | undefined>>;

/** A whole response. */
export interface Answer {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  /** The messages of its body or its stream, in order. */
  readonly messages: readonly ServerMessage[];
}

export interface SendOptions {
  readonly method?: string;
  /** Instead of the endpoint's. */
  readonly path?: string;
  /** Added to what a client sends; undefined takes one out. */
  readonly headers?: Headers;
  readonly body?: string | Uint8Array;
}

/** What a client of Streamable HTTP sends with every POST. */
const usualHeaders: Headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

/** Sends requests to one endpoint, and keeps what was wrong with the answers. */
export class HttpClient {
  readonly url: string;
  readonly #token: string | undefined;
  readonly #checks: WireCheck[];
  #lastId = 0;

  constructor(url: string, token?: string, checks: WireCheck[] = []) {
    this.url = url;
    this.#token = token;
    this.#checks = checks;
  }

  /** The same endpoint with another token; none for an empty one. */
  withToken(token: string): HttpClient {
    return new HttpClient(this.url, token, this.#checks);
  }

  /** For one conversation: a session, or a modern request. */
  newCheck(sessionVersion?: string): WireCheck {
    const check = new WireCheck(sessionVersion);
    this.#checks.push(check);
    return check;
  }

  /** @throws Error when a message broke the rules of its revision */
  assertClean(): void {
    for (const check of this.#checks) check.assertClean();
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** The bare response. `signal` closes the connection. */
  fetch(options: SendOptions = {}, signal?: AbortSignal): Promise<Response> {
    const { method = "POST", path, headers, body } = options;
    const url = path === undefined ? this.url : new URL(path, this.url).href;
    const authorization = this.#token ? { authorization: `Bearer ${this.#token}` } : {};
    const all = { ...authorization, ...(method === "POST" ? usualHeaders : {}), ...headers };
    const init: BunFetchRequestInit = { method, headers: defined(all), redirect: "manual" };
    if (body !== undefined) init.body = body;
    if (signal !== undefined) init.signal = signal;
    // Certificates of tests are signed by nobody.
    if (url.startsWith("https:")) init.tls = { rejectUnauthorized: false };
    return fetch(url, init);
  }

  /** The whole answer to a message, or to anything else that is sent in its place. */
  async post(value: unknown, headers: Headers = {}, check?: WireCheck): Promise<Answer> {
    const watch = check ?? this.newCheck("2025-03-26");
    watch.sent(value);
    const response = await this.fetch({ headers, body: JSON.stringify(value) });
    return readAnswer(response, watch);
  }

  /** The response to a message while it is open. `signal` closes the connection, also before the response begins. */
  async open(
    value: unknown,
    headers: Headers = {},
    check?: WireCheck,
    signal?: AbortSignal,
  ): Promise<EventReader> {
    const watch = check ?? this.newCheck();
    watch.sent(value);
    const abort = new AbortController();
    signal?.addEventListener("abort", () => abort.abort());
    const response = await this.fetch({ headers, body: JSON.stringify(value) }, abort.signal);
    return new EventReader(response, watch, abort);
  }

  /** A modern request; `headers` changes those that mirror its body. */
  modern(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    headers: Headers = {},
  ): Promise<Answer> {
    const message = modernMessage(this.nextId(), method, params);
    return this.post(message, { ...mirrored(message), ...headers }, this.newCheck());
  }

  /** The same, while its response is open. */
  openModern(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    id: string | number = this.nextId(),
  ): Promise<EventReader> {
    const message = modernMessage(id, method, params);
    return this.open(message, mirrored(message));
  }
}

export interface ModernMessage {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** `params._meta` is added to the envelope. */
export function modernMessage(
  id: unknown,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): ModernMessage {
  const { _meta, ...rest } = params;
  const whole = modern(rest);
  const meta = { ...(whole["_meta"] as object), ...(_meta as object | undefined) };
  return { jsonrpc: "2.0", id, method, params: { ...whole, _meta: meta } };
}

/** The headers that say what the body says (docs/spec/modern.md#headers). */
export function mirrored({ method, params }: ModernMessage): Record<string, string> {
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  const meta = params["_meta"] as Readonly<Record<string, string>>;
  return {
    "mcp-protocol-version": meta[metaKeys.version] ?? modernVersion,
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
}

/** Reads a response to its end. */
export async function readAnswer(response: Response, check: WireCheck): Promise<Answer> {
  const type = response.headers.get("content-type") ?? "";
  const { status, headers } = response;
  if (type.startsWith("text/event-stream")) {
    const reader = new EventReader(response, check, new AbortController());
    await reader.ended;
    return { status, headers, text: "", messages: reader.messages };
  }
  const text = await response.text();
  if (!type.startsWith("application/json")) return { status, headers, text, messages: [] };
  check.received(text);
  const value: unknown = JSON.parse(text);
  return {
    status,
    headers,
    text,
    messages: (Array.isArray(value) ? value : [value]) as ServerMessage[],
  };
}

/** The one message of an answer. */
export function onlyMessage({ messages, status, text }: Answer): ServerMessage {
  const [message, ...others] = messages;
  if (message !== undefined && others.length === 0) return message;
  throw new Error(`${messages.length} messages in an answer of status ${status}: ${text}`);
}

function defined(headers: Headers): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Record<string, string>;
}
