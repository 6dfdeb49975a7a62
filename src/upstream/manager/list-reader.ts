import { startTimer, type Timer } from "../../base/cancellation.ts";
import { messageOf } from "../../base/errors.ts";
import { createDeferred } from "../../base/shared-work.ts";
import {
  upstreamFailedProbeMs,
  upstreamFirstLookMs,
  upstreamRelistMs,
} from "../../base/upstream-limits.ts";
import type { ServerCatalogue, UpstreamConnection } from "../connect/connection.ts";

export interface ListReaderParts {
  readonly onRead: (catalogue: ServerCatalogue) => Promise<void>;
  /** They could not be read; they are tried again after a while. */
  readonly onFailure: (reason: string) => void;
  /** How long who calls waits for the first reading. */
  readonly firstLookMs?: number;
}

/** Reads the lists of a server with each connection and when it says that they have changed, twice a second at most (CN14). */
export class ListReader {
  readonly #parts: ListReaderParts;
  #connection: UpstreamConnection | undefined;
  #isReading = false;
  #isStale = false;
  #timer: Timer | undefined;
  #ended = new AbortController();
  /**
   * The first reading of the present connection, while it is under way: `over` resolves when its lists have been read, or do
   * not come. Set here alone.
   */
  firstReading:
    { readonly connection: UpstreamConnection; readonly over: Promise<void> } | undefined;

  constructor(parts: ListReaderParts) {
    this.#parts = parts;
  }

  /** A new connection is there. */
  begin(connection: UpstreamConnection): void {
    this.end();
    this.#ended = new AbortController();
    this.#connection = connection;
    const over = createDeferred<void>();
    const timer = startTimer(this.#parts.firstLookMs ?? upstreamFirstLookMs, over.resolve);
    void this.#read(connection, this.#ended.signal).then(over.resolve);
    const first = over.promise.then(() => {
      timer.stop();
      if (connection === this.#connection) this.firstReading = undefined;
    });
    this.firstReading = { connection, over: first };
  }

  /** The connection is gone. */
  end(): void {
    this.#ended.abort();
    this.#timer?.stop();
    this.#timer = undefined;
    this.#connection = undefined;
    this.firstReading = undefined;
    this.#isReading = false;
    this.#isStale = false;
  }

  /** The server says that a list has changed. */
  onChanged(): void {
    this.#isStale = true;
    this.#plan(upstreamRelistMs);
  }

  #plan(ms: number): void {
    const connection = this.#connection;
    const { signal } = this.#ended;
    if (connection === undefined || this.#isReading || this.#timer !== undefined) return;
    this.#timer = startTimer(ms, () => {
      this.#timer = undefined;
      void this.#read(connection, signal);
    });
  }

  async #read(connection: UpstreamConnection, ended: AbortSignal): Promise<void> {
    this.#isReading = true;
    this.#isStale = false;
    let hasFailed = false;
    try {
      // It takes a minute at most, and gives what was read by then (CN5).
      const catalogue = await connection.readCatalogue(ended);
      if (ended.aborted) return;
      await this.#parts.onRead(catalogue);
    } catch (error) {
      if (ended.aborted) return;
      hasFailed = true;
      this.#parts.onFailure(messageOf(error));
    }
    if (ended.aborted) return;
    this.#isReading = false;
    if (this.#isStale) this.#plan(upstreamRelistMs);
    else if (hasFailed) this.#plan(upstreamFailedProbeMs);
  }
}
