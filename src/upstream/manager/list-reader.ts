import { startTimer, type Timer } from "../../base/cancellation.ts";
import { messageOf } from "../../base/errors.ts";
import {
  upstreamFailedProbeMs,
  upstreamFirstLookMs,
  upstreamRelistMs,
} from "../../base/upstream-limits.ts";
import type { ServerCatalogue, UpstreamConnection } from "../connect/connection.ts";

export interface ListReaderParts {
  readonly onRead: (catalogue: ServerCatalogue) => Promise<void>;
  /** Called when the lists could not be read; they are read again later. */
  readonly onFailure: (reason: string) => void;
  /** The longest wait of a call for the first reading. */
  readonly firstLookMs?: number;
}

/** Reads the lists of a server with each connection and when it reports changes, twice a second at most (CN14). */
export class ListReader {
  readonly #parts: ListReaderParts;
  #connection: UpstreamConnection | undefined;
  #isReading = false;
  #isStale = false;
  #timer: Timer | undefined;
  #ended = new AbortController();
  /** The first reading of the current connection, while it runs. */
  #first: Promise<void> | undefined;

  constructor(parts: ListReaderParts) {
    this.#parts = parts;
  }

  /** Begins with a new connection. */
  begin(connection: UpstreamConnection): void {
    this.end();
    this.#ended = new AbortController();
    this.#connection = connection;
    const over = Promise.withResolvers<void>();
    const timer = startTimer(this.#parts.firstLookMs ?? upstreamFirstLookMs, over.resolve);
    void this.#read(connection, this.#ended.signal).then(over.resolve);
    this.#first = over.promise.then(() => {
      timer.stop();
      if (connection === this.#connection) this.#first = undefined;
    });
  }

  /**
   * Resolves when the lists of a new connection have been read, or do not arrive in time; undefined when there is no
   * need to wait.
   */
  firstReading(connection: UpstreamConnection): Promise<void> | undefined {
    return connection === this.#connection ? this.#first : undefined;
  }

  /** The connection is gone. */
  end(): void {
    this.#ended.abort();
    this.#timer?.stop();
    this.#timer = undefined;
    this.#connection = undefined;
    this.#first = undefined;
    this.#isReading = false;
    this.#isStale = false;
  }

  /** The server reported a changed list. */
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
      // Takes a minute at most, and returns the lists read by then (CN5).
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
