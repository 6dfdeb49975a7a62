import { connect, type Socket } from "node:net";

import { within } from "./conditions.ts";

/** A connection of raw bytes: for what no HTTP client would send. */
export class RawConnection implements Disposable {
  readonly #socket: Socket;
  readonly #closed = Promise.withResolvers<void>();
  readonly #news = new Set<() => void>();
  #text = "";
  #isClosed = false;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#socket = connect(Number(port), hostname);
    this.#socket.on("data", (bytes) => this.#take(bytes.toString("latin1")));
    // A connection that was reset has been closed, which is all that matters here.
    this.#socket.on("error", () => this.#end());
    this.#socket.on("close", () => this.#end());
  }

  get text(): string {
    return this.#text;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Statuses of the responses so far. */
  get statuses(): number[] {
    return [...this.#text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  write(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** The status of the first response. A connection closed without one has 0. */
  async status(timeoutMs = 15_000): Promise<number> {
    await this.until("a response", () => this.statuses.length > 0, timeoutMs);
    return this.statuses[0] ?? 0;
  }

  /** When the server has closed it. */
  async closed(timeoutMs = 15_000): Promise<void> {
    await within("the connection's end", timeoutMs, this.#closed.promise);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  /** When the condition holds, or the server has closed the connection. */
  async until(what: string, isDone: () => boolean, timeoutMs = 15_000): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (isDone() || this.#isClosed) resolve();
    };
    this.#news.add(look);
    look();
    await within(what, timeoutMs, promise);
    this.#news.delete(look);
  }

  #take(text: string): void {
    this.#text += text;
    for (const look of this.#news) look();
  }

  #end(): void {
    this.#isClosed = true;
    this.#closed.resolve();
    for (const look of this.#news) look();
  }
}

/** Head and body of a POST as bytes; `headers` in order, as they are. */
export function rawPost(url: string, headers: readonly string[], body = ""): string {
  const { pathname, host } = new URL(url);
  const usual = [`Host: ${host}`, "Accept: application/json, text/event-stream"];
  const lines = [`POST ${pathname} HTTP/1.1`, ...usual, ...headers];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
