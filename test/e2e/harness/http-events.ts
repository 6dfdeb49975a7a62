import { within } from "./conditions.ts";
import type { ServerMessage } from "./server.ts";
import type { WireCheck } from "./wire-check.ts";

/** One event of an SSE stream, as it came. A priming event has an id and empty data. */
export interface StreamEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: number;
  readonly data?: string;
}

/**
 * Reads the events of a response while it is open; an answer in plain JSON counts as one event. `close` leaves it,
 * as a client that goes away does.
 */
export class EventReader {
  readonly response: Response;
  /** Everything so far. */
  readonly events: StreamEvent[] = [];
  readonly comments: string[] = [];
  readonly #check: WireCheck;
  readonly #waiters = new Set<() => void>();
  readonly #abort: AbortController;
  #isEnded = false;
  /** When the stream has ended. Never rejects: a connection that broke has ended too. */
  readonly ended: Promise<void>;

  constructor(response: Response, check: WireCheck, abort: AbortController) {
    this.response = response;
    this.#check = check;
    this.#abort = abort;
    this.ended = this.#read();
  }

  /** The messages so far. */
  get messages(): ServerMessage[] {
    return this.events.flatMap((event) =>
      hasMessage(event) ? elementsOf(JSON.parse(event.data)) : [],
    );
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get lastEventId(): string | undefined {
    return this.events.findLast(({ id }) => id !== undefined)?.id;
  }

  /** The first event that passes, come or to come. */
  async event(what: string, passes: (event: StreamEvent) => boolean): Promise<StreamEvent> {
    const find = (): StreamEvent | undefined => this.events.find(passes);
    await this.#until(what, () => find() !== undefined);
    return find() ?? {};
  }

  /** The first message that passes, come or to come. */
  async message(what: string, passes: (message: ServerMessage) => boolean): Promise<ServerMessage> {
    let found: ServerMessage | undefined;
    await this.#until(what, () => (found = this.messages.find(passes)) !== undefined);
    if (found === undefined) throw new Error(`the stream ended before ${what}`);
    return found;
  }

  /** The reply with this id, come or to come. */
  reply(id: string | number): Promise<ServerMessage> {
    const isReply = (message: ServerMessage): boolean =>
      message.id === id && message.method === undefined;
    return this.message(`a reply to ${JSON.stringify(id)}`, isReply);
  }

  /** The client closes the connection. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }

  async #until(what: string, isDone: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = (): void => {
      if (isDone() || this.#isEnded) resolve();
    };
    this.#waiters.add(waiter);
    waiter();
    await within(`${what}; there were ${JSON.stringify(this.events).slice(-500)}`, 15_000, promise);
    this.#waiters.delete(waiter);
    if (!isDone()) throw new Error(`the stream ended before ${what}`);
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let rest = "";
    try {
      for await (const chunk of (this.response.body ?? []) as AsyncIterable<Uint8Array | string>) {
        // Text comes as it was written from an endpoint without a port.
        const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
        const blocks = (rest + text).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) this.#take(block);
        for (const waiter of this.#waiters) waiter();
      }
      if (this.#isJson) this.#take(`data: ${rest}`);
    } catch {
      // The connection broke, or we closed it.
    }
    this.#isEnded = true;
    for (const waiter of this.#waiters) waiter();
  }

  get #isJson(): boolean {
    return this.response.headers.get("content-type")?.startsWith("application/json") ?? false;
  }

  #take(block: string): void {
    if (block.startsWith(":")) this.comments.push(block.slice(1).trim());
    const event = parseEvent(block);
    if (Object.keys(event).length === 0) return;
    this.events.push(event);
    if (hasMessage(event)) this.#check.received(event.data);
  }
}

export function parseEvent(block: string): StreamEvent {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const match = /^(id|event|retry|data):? ?(.*)$/.exec(line);
    if (match !== null) fields.set(match[1] ?? "", match[2] ?? "");
  }
  const { retry, ...event } = Object.fromEntries(fields);
  return retry === undefined ? event : { ...event, retry: Number(retry) };
}

/** Events of other names, such as `endpoint` of HTTP+SSE, hold something else. */
function hasMessage(event: StreamEvent): event is StreamEvent & { readonly data: string } {
  return Boolean(event.data) && (event.event ?? "message") === "message";
}

function elementsOf(value: unknown): ServerMessage[] {
  return (Array.isArray(value) ? value : [value]) as ServerMessage[];
}
