import { upstreamListsSharedMs } from "../../base/upstream-limits.ts";
import type { ServerCatalogue } from "./connection.ts";

interface Reading {
  readonly catalogue: Promise<ServerCatalogue>;
  /** How many wait for the catalogue; the last one that leaves ends the reading. */
  readers: number;
  readonly end: AbortController;
  /** When the reading ended, on the clock of `performance.now()`; undefined while it runs. */
  readAt?: number;
}

/** The lists of one connection for several readers: read once for all who want them at about the same time. */
export class SharedLists {
  #reading: Reading | undefined;

  /** The server has other lists now: the next reader reads them. */
  onChanged(): void {
    this.#reading = undefined;
  }

  /** @param readAll reads them; called when nobody else has just read them @throws as `readAll` does, or the reason of `signal` */
  async read(
    signal: AbortSignal,
    readAll: (signal: AbortSignal) => Promise<ServerCatalogue>,
  ): Promise<ServerCatalogue> {
    signal.throwIfAborted();
    const reading = this.#known() ?? this.#begin(readAll);
    reading.readers++;
    const left = Promise.withResolvers<never>();
    const leave = (): void => left.reject(signal.reason);
    signal.addEventListener("abort", leave, { once: true });
    try {
      return await Promise.race([reading.catalogue, left.promise]);
    } finally {
      signal.removeEventListener("abort", leave);
      reading.readers--;
      if (reading.readers === 0 && reading.readAt === undefined) {
        reading.end.abort();
        if (this.#reading === reading) this.#reading = undefined;
      }
    }
  }

  #known(): Reading | undefined {
    const { readAt } = this.#reading ?? {};
    const isOld = readAt !== undefined && performance.now() - readAt > upstreamListsSharedMs;
    return isOld ? undefined : this.#reading;
  }

  #begin(readAll: (signal: AbortSignal) => Promise<ServerCatalogue>): Reading {
    const end = new AbortController();
    const reading: Reading = { catalogue: readAll(end.signal), readers: 0, end };
    this.#reading = reading;
    reading.catalogue.then(
      () => (reading.readAt = performance.now()),
      () => {
        if (this.#reading === reading) this.#reading = undefined;
      },
    );
    return reading;
  }
}
