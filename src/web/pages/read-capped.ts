import type { ReadableStreamDefaultReader } from "node:stream/web";

import { type Timer, startTimer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { pageBytesMax } from "../../base/limits.ts";

/** The bytes of a body, as far as they came. */
export interface ReadBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Why there may be more that is not here; null when this is all. */
  readonly cut: "size" | "time" | "broken" | null;
}

/** A body that is read piece by piece, so that its beginning can decide about the rest. */
export class CappedReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #signal: AbortSignal;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;
  #cut: ReadBytes["cut"] = null;
  #isAtEnd = false;

  /** @param signal ends the reading; the bytes read until then are used */
  constructor(response: Response, signal: AbortSignal) {
    this.#reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
    this.#signal = signal;
  }

  /** The first bytes, `count` of them unless there are fewer. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.#length < count && (await this.#readChunk()));
    return Buffer.concat(this.#chunks).subarray(0, count);
  }

  /** Everything, up to the cap of a page. */
  async rest(): Promise<ReadBytes> {
    while (await this.#readChunk());
    this.cancel();
    return { bytes: Buffer.concat(this.#chunks).subarray(0, pageBytesMax), cut: this.#cut };
  }

  /** Gives the connection up, or back; nobody waits for that. */
  cancel(): void {
    void this.#reader?.cancel().catch(() => {});
  }

  /** False when there is nothing more, for whatever reason. */
  async #readChunk(): Promise<boolean> {
    if (this.#reader === undefined || this.#isAtEnd) return false;
    this.#isAtEnd = true;
    const chunk = await this.#nextChunk(this.#reader);
    if (chunk === undefined) return false;
    this.#chunks.push(chunk);
    this.#length += chunk.byteLength;
    if (this.#length > pageBytesMax) {
      this.#cut = "size";
      return false;
    }
    this.#isAtEnd = false;
    return true;
  }

  async #nextChunk(
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ): Promise<Uint8Array | undefined> {
    const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
    const onAbort = (): void => resolve(undefined);
    this.#signal.addEventListener("abort", onAbort, { once: true });
    if (this.#signal.aborted) onAbort();
    try {
      // The abort ends the read by itself, with an error, but not in every state of a connection.
      const next = await Promise.race([reader.read(), aborted]);
      if (next === undefined) this.#cut = "time";
      return next?.done === false ? next.value : undefined;
    } catch {
      this.#cut = this.#signal.aborted ? "time" : "broken";
      return undefined;
    } finally {
      this.#signal.removeEventListener("abort", onAbort);
    }
  }
}

/** Aborted work that has not ended after this is abandoned: its place is needed. */
const stuckMs = 1_000;

/**
 * The result of `work`, in time.
 * @param signal ends the work, as the deadline does; a result that still comes in time is used
 * @param late the message when the deadline was the reason of a failure
 * @throws AppError `cancelled` when `signal` is aborted; the error of `late`; the errors of the work
 */
export async function withinDeadline<T>(
  msMax: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => AppError,
): Promise<T> {
  const deadline = new AbortController();
  const timer = startTimer(msMax, () => deadline.abort());
  const either = AbortSignal.any([signal, deadline.signal]);
  const stuck = Promise.withResolvers<never>();
  let patience: Timer | undefined;
  const onEnd = (): void => {
    patience = startTimer(stuckMs, () => stuck.reject(late()));
  };
  either.addEventListener("abort", onEnd, { once: true });
  try {
    const result = await Promise.race([work(either), stuck.promise]);
    if (signal.aborted) throw cancelled();
    return result;
  } catch (error) {
    if (signal.aborted) throw cancelled();
    if (deadline.signal.aborted && isOfTheEnd(error)) throw late();
    throw error;
  } finally {
    either.removeEventListener("abort", onEnd);
    timer.stop();
    patience?.stop();
  }
}

function cancelled(): AppError {
  return new AppError("cancelled", "The page is no longer wanted.");
}

/** Whether the end of the work explains it: a request that is ended is cancelled, or its connection is closed. */
function isOfTheEnd(error: unknown): boolean {
  return !(error instanceof AppError) || error.code === "cancelled" || error.code === "system";
}
