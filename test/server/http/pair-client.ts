import { until } from "../../commands/process/until.ts";
import { notification, request } from "../harness.ts";
import type { EndpointFixture } from "./endpoint-fixture.ts";

type Headers = Readonly<Record<string, string>>;

/** Without a network between, chunks are what was written. */
interface ChunkReader {
  read(): Promise<{ value?: unknown }>;
  cancel(): Promise<void>;
}

interface NamedEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/** A client of HTTP+SSE at an endpoint without a port: reads its stream as it comes. */
export class PairClient {
  readonly response: Response;
  readonly #fixture: EndpointFixture;
  readonly #headers: Headers;
  readonly #reader: ChunkReader | undefined;
  #text = "";
  #seen = 0;
  #isReading = true;
  isEnded = false;

  private constructor(fixture: EndpointFixture, response: Response, headers: Headers) {
    this.#fixture = fixture;
    this.response = response;
    this.#headers = headers;
    this.#reader = response.body?.getReader();
  }

  /** With the stream open and its first event read; `headers` go with every request. */
  static async open(fixture: EndpointFixture, headers: Headers = {}): Promise<PairClient> {
    const response = await fixture.fetch("/sse", { headers });
    const client = new PairClient(fixture, response, headers);
    void client.#read();
    await until(() => client.#events.length > 0);
    client.#seen = 1;
    return client;
  }

  /** One that has done the handshake. */
  static async initialize(
    fixture: EndpointFixture,
    protocolVersion = "2024-11-05",
    headers: Headers = {},
  ): Promise<PairClient> {
    const client = await PairClient.open(fixture, headers);
    await client.exchange(1, initializeOf(protocolVersion));
    await client.post(notification("notifications/initialized"));
    return client;
  }

  get #events(): NamedEvent[] {
    const blocks = this.#text.split("\n\n").slice(0, -1);
    // A comment, or a time to come back, is not an event.
    return blocks.filter((block) => !/^(?::|retry:)/.test(block)).map(readEvent);
  }

  /** All of the stream so far. */
  get text(): string {
    return this.#text;
  }

  /** Where messages go, as the first event says. */
  get uri(): string {
    return this.#events[0]?.data ?? "";
  }

  get sessionId(): string {
    return new URLSearchParams(this.uri.split("?")[1]).get("session") ?? "";
  }

  post(message: unknown, headers: Headers = {}, uri = this.uri): Promise<Response> {
    return this.#fixture.fetch(uri, {
      method: "POST",
      headers: { "content-type": "application/json", ...this.#headers, ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
    });
  }

  /** Posts the message and waits for `count` more messages on the stream; returns those. */
  async exchange(count: number, message: unknown): Promise<unknown[]> {
    const { status } = await this.post(message);
    if (status !== 202) throw new Error(`status ${status} instead of 202`);
    return this.next(count);
  }

  /** The next messages of the stream. */
  async next(count: number): Promise<unknown[]> {
    await until(() => this.#events.length >= this.#seen + count || this.isEnded);
    return this.news();
  }

  /** The messages since the last look. */
  news(): unknown[] {
    const fresh = this.#events.slice(this.#seen);
    this.#seen += fresh.length;
    const strays = fresh.filter(({ event }) => event !== "message");
    if (strays.length > 0) throw new Error(`no messages: ${JSON.stringify(strays)}`);
    return fresh.map(({ data }) => JSON.parse(data) as unknown);
  }

  /** Reads one message more, which comes now, and then nothing. */
  async stopReading(): Promise<void> {
    this.#isReading = false;
    await this.exchange(1, request("last", "ping"));
  }

  /** Closes the stream, as a client that goes away does. */
  async close(): Promise<void> {
    await this.#reader?.cancel();
  }

  async #read(): Promise<void> {
    while (this.#isReading) {
      const { value } = (await this.#reader?.read()) ?? {};
      if (typeof value !== "string") {
        this.isEnded = true;
        return;
      }
      this.#text += value;
    }
  }
}

export function initializeOf(protocolVersion: string): Record<string, unknown> {
  const clientInfo = { name: "old", version: "1" };
  return request("init", "initialize", { protocolVersion, capabilities: {}, clientInfo });
}

function readEvent(block: string): NamedEvent {
  const valueOf = (name: string): string | undefined =>
    new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  return { event: valueOf("event"), data: valueOf("data") ?? "" };
}
