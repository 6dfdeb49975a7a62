import { type Answer, type HttpClient, onlyMessage, readAnswer } from "./http-client.ts";
import { EventReader } from "./http-events.ts";
import type { ServerMessage } from "./server.ts";
import type { WireCheck } from "./wire-check.ts";

type Headers = Readonly<Record<string, string | undefined>>;

/** A legacy session of one client. */
export class HttpSession {
  readonly id: string;
  readonly version: string;
  /** The answer to `initialize`. */
  readonly opening: Answer;
  readonly #client: HttpClient;
  readonly #check: WireCheck;

  private constructor(client: HttpClient, version: string, opening: Answer, check: WireCheck) {
    this.#client = client;
    this.version = version;
    this.opening = opening;
    this.id = opening.headers.get("mcp-session-id") ?? "";
    this.#check = check;
  }

  static async open(
    client: HttpClient,
    version: string,
    capabilities: Readonly<Record<string, unknown>>,
  ): Promise<HttpSession> {
    const check = client.newCheck();
    const clientInfo = { name: "e2e", version: "1" };
    const params = { protocolVersion: version, capabilities, clientInfo };
    const message = { jsonrpc: "2.0", id: client.nextId(), method: "initialize", params };
    const opening = await client.post(message, {}, check);
    const { result } = onlyMessage(opening);
    const session = new HttpSession(client, String(result?.["protocolVersion"]), opening, check);
    await session.notify("notifications/initialized");
    return session;
  }

  /** The same session by another address of the same server. */
  through(client: HttpClient): HttpSession {
    return new HttpSession(client, this.version, this.opening, this.#check);
  }

  get headers(): Record<string, string> {
    const version = this.version >= "2025-06-18" ? { "mcp-protocol-version": this.version } : {};
    return { "mcp-session-id": this.id, ...version };
  }

  post(value: unknown, headers: Headers = {}): Promise<Answer> {
    return this.#client.post(value, { ...this.headers, ...headers }, this.#check);
  }

  /** The reply alone. */
  async request(
    method: string,
    params?: unknown,
    id: string | number = this.#client.nextId(),
  ): Promise<ServerMessage> {
    const { messages, status, text } = await this.post(requestOf(id, method, params));
    const reply = messages.find((message) => message.method === undefined);
    if (reply === undefined) throw new Error(`no reply to ${method}: ${status} ${text}`);
    return reply;
  }

  call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<ServerMessage> {
    return this.request("tools/call", { name, arguments: args });
  }

  /** The response to a request while it is open. */
  open(
    method: string,
    params?: unknown,
    id: string | number = this.#client.nextId(),
  ): Promise<EventReader> {
    return this.#client.open(requestOf(id, method, params), this.headers, this.#check);
  }

  notify(method: string, params?: unknown): Promise<Answer> {
    return this.post({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  /** Answers a request of the server. */
  respond(id: unknown, result: unknown): Promise<Answer> {
    return this.post({ jsonrpc: "2.0", id, result });
  }

  /** GET: the stream of the session, or, with an event's id, the rest of that event's stream. */
  async listen(lastEventId?: string, headers: Headers = {}): Promise<EventReader> {
    const abort = new AbortController();
    const resuming = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const all = { accept: "text/event-stream", ...this.headers, ...resuming, ...headers };
    const response = await this.#client.fetch({ method: "GET", headers: all }, abort.signal);
    // What comes again is no second reply.
    const isAgain = lastEventId !== undefined;
    const check = isAgain ? this.#client.newCheck(this.version) : this.#check;
    return new EventReader(response, check, abort);
  }

  /** DELETE: ends it. */
  async end(headers: Headers = {}): Promise<Answer> {
    const all = { ...this.headers, ...headers };
    return readAnswer(await this.#client.fetch({ method: "DELETE", headers: all }), this.#check);
  }
}

export function requestOf(id: unknown, method: string, params?: unknown): Record<string, unknown> {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}
