import { printTold, toldOf, type ToldPlace } from "../cache/told-servers.ts";
import { writePrivate } from "../cache/write-private.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";

/** Keeps for the next start what it is to say of the servers before it has looked at one. */
export class ToldFile {
  readonly #place: ToldPlace | undefined;
  #written: string | undefined;
  #work: Promise<void> = Promise.resolve();

  /** @param place undefined: nobody will ask */
  constructor(place: ToldPlace | undefined) {
    this.#place = place;
  }

  /** Writes what has changed. A disk that is full costs the next start some words. */
  keep(snapshot: Omit<UpstreamSnapshot, "revision">): void {
    const place = this.#place;
    if (place === undefined) return;
    const text = printTold(toldOf(snapshot), place);
    if (text === this.#written) return;
    this.#written = text;
    this.#work = this.#work.then(() => writePrivate(place.file, text)).catch(() => {});
  }

  /** Resolves when all is written. */
  close(): Promise<void> {
    return this.#work;
  }
}
