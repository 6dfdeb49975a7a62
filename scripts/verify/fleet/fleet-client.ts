/** One event of a stream, or a whole answer in JSON, which has no id. */
export interface Received {
  readonly id?: string;
  readonly message?: Readonly<Record<string, unknown>>;
}

/** What came of one request. */
export interface Exchange {
  readonly status: number;
  readonly events: readonly Received[];
  /** The response ended by itself. */
  readonly isWhole: boolean;
  readonly text: string;
  readonly sessionId: string | undefined;
}

/** A client over plain fetch, which breaks its connections when it is told to. */
export class FleetClient {
  constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  post(
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    stopAfter?: number,
  ): Promise<Exchange> {
    return this.#exchange("POST", headers, JSON.stringify(body), stopAfter);
  }

  get(headers: Readonly<Record<string, string>>, stopAfter?: number): Promise<Exchange> {
    return this.#exchange("GET", { accept: "text/event-stream", ...headers }, undefined, stopAfter);
  }

  delete(headers: Readonly<Record<string, string>>): Promise<Exchange> {
    return this.#exchange("DELETE", headers, undefined, undefined);
  }

  /** @param stopAfter events with an id, after which the client breaks the connection */
  async #exchange(
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    stopAfter = Number.POSITIVE_INFINITY,
  ): Promise<Exchange> {
    const abort = new AbortController();
    const response = await fetch(this.url, {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${this.token}`,
        ...headers,
      },
      signal: abort.signal,
      ...(body === undefined ? {} : { body }),
    });
    const sessionId = response.headers.get("mcp-session-id") ?? undefined;
    const { status } = response;
    if (response.headers.get("content-type") !== "text/event-stream") {
      const text = await response.text();
      return { status, events: messagesIn(text), isWhole: true, text, sessionId };
    }
    const events: Received[] = [];
    const isWhole = await readEvents(response, events, stopAfter).catch(() => false);
    if (!isWhole) abort.abort();
    return { status, events, isWhole, text: "", sessionId };
  }
}

function messagesIn(text: string): Received[] {
  try {
    return [{ message: JSON.parse(text) as Readonly<Record<string, unknown>> }];
  } catch {
    return [];
  }
}

/** @returns whether the stream ended by itself */
async function readEvents(
  response: Response,
  events: Received[],
  stopAfter: number,
): Promise<boolean> {
  if (response.body === null) return true;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = eventIn(block);
      if (event === undefined) continue;
      events.push(event);
      if (events.length >= stopAfter) return false;
    }
  }
  return true;
}

function eventIn(block: string): Received | undefined {
  const id = /^id: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.+)$/m.exec(block)?.[1];
  if (id === undefined && data === undefined) return undefined;
  return {
    ...(id === undefined ? {} : { id }),
    ...(data === undefined
      ? {}
      : { message: JSON.parse(data) as Readonly<Record<string, unknown>> }),
  };
}

/** Begins a legacy session; the headers that its requests need. */
export async function beginSession(client: FleetClient): Promise<Readonly<Record<string, string>>> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "fleet", version: "1" },
  };
  const begun = await client.post({ jsonrpc: "2.0", id: "begin", method: "initialize", params });
  if (begun.sessionId === undefined) throw new Error(`no session: ${begun.status} ${begun.text}`);
  const headers = { "mcp-session-id": begun.sessionId, "mcp-protocol-version": "2025-11-25" };
  await client.post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers);
  return headers;
}
