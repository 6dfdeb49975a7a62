import { upstreamLogsPerSecondMax } from "../../base/upstream-limits.ts";

/** Counts log messages of each server within the current second. */
export class LogRate {
  readonly #counts = new Map<string, number>();
  #second = 0;

  /** False when this server has said enough for now. */
  mayPass(server: string): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) this.#counts.clear();
    this.#second = second;
    const count = (this.#counts.get(server) ?? 0) + 1;
    this.#counts.set(server, count);
    return count <= upstreamLogsPerSecondMax;
  }
}
