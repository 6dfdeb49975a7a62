import { type Answer, type HttpClient, readAnswer } from "./http-client.ts";
import { EventReader } from "./http-events.ts";
import { requestOf } from "./http-session.ts";
import type { ServerMessage } from "./server.ts";
import type { WireCheck } from "./wire-check.ts";

type Headers = Readonly<Record<string, string | undefined>>;

/** A session of one client of HTTP+SSE (2024-11-05). */
export class PairSession {
  readonly stream: EventReader;
  /** Where messages go: what the first event of the stream said. */
  readonly uri: string;
  readonly #client: HttpClient;
  readonly #check: WireCheck;

  private constructor(client: HttpClient, stream: EventReader, uri: string, check: WireCheck) {
    this.#client = client;
    this.stream = stream;
    this.uri = uri;
    this.#check = check;
  }

  /** With its stream open, before the handshake. */
  static async open(client: HttpClient, path = "/sse"): Promise<PairSession> {
    const check = client.newCheck();
    const abort = new AbortController();
    const options = { method: "GET", path, headers: { accept: "text/event-stream" } };
    const response = await client.fetch(options, abort.signal);
    if (response.status !== 200) throw new Error(`${path} is ${response.status}`);
    const stream = new EventReader(response, check, abort);
    const { data } = await stream.event("its endpoint", ({ event }) => event === "endpoint");
    return new PairSession(client, stream, data ?? "", check);
  }

  static async initialize(
    client: HttpClient,
    protocolVersion = "2024-11-05",
    capabilities: Readonly<Record<string, unknown>> = {},
  ): Promise<PairSession> {
    const session = await PairSession.open(client);
    const clientInfo = { name: "e2e", version: "1" };
    await session.request("initialize", { protocolVersion, capabilities, clientInfo });
    await session.notify("notifications/initialized");
    return session;
  }

  /** The answer to the POST itself. */
  async post(value: unknown, headers: Headers = {}, client = this.#client): Promise<Answer> {
    this.#check.sent(value);
    const body = JSON.stringify(value);
    // What such clients send: nothing that prefers a kind of answer.
    const all = { accept: "*/*", ...headers };
    return readAnswer(await client.fetch({ path: this.uri, headers: all, body }), this.#check);
  }

  /** Sends a request and says its id; the reply comes on the stream. */
  async send(
    method: string,
    params?: unknown,
    id: string | number = this.#client.nextId(),
  ): Promise<string | number> {
    const { status, text } = await this.post(requestOf(id, method, params));
    if (status !== 202) throw new Error(`${method} was not taken: ${status} ${text}`);
    return id;
  }

  async request(method: string, params?: unknown): Promise<ServerMessage> {
    return this.stream.reply(await this.send(method, params));
  }

  call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<ServerMessage> {
    return this.request("tools/call", { name, arguments: args });
  }

  notify(method: string, params?: unknown): Promise<Answer> {
    return this.post({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }
}
