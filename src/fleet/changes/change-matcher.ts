import { changeMatchMs } from "../../base/limits.ts";

interface Observation {
  /** How often each replica has reported it. */
  readonly counts: Map<string, number>;
  /** The most that one of them has. */
  told: number;
  lastAt: number;
}

/**
 * Tells one change from the next where several replicas see the same: a file on a shared volume, or an MCP server that each of
 * them is connected to. The n-th report of one replica within a moment is the n-th of another. All replicas read the same
 * log, and so decide alike.
 */
export class ChangeMatcher {
  readonly #seen = new Map<string, Observation>();

  /**
   * False for a change that another replica has reported already.
   * @param key changes with the same key say the same
   * @param atMs in the time of the engine
   */
  isNew(key: string, replica: string, atMs: number): boolean {
    this.#forgetBefore(atMs - changeMatchMs);
    const known = this.#seen.get(key) ?? {
      counts: new Map<string, number>(),
      told: 0,
      lastAt: atMs,
    };
    // In the order of the last report.
    this.#seen.delete(key);
    this.#seen.set(key, known);
    known.lastAt = atMs;
    const count = (known.counts.get(replica) ?? 0) + 1;
    known.counts.set(replica, count);
    if (count <= known.told) return false;
    known.told = count;
    return true;
  }

  #forgetBefore(atMs: number): void {
    for (const [key, { lastAt }] of this.#seen) {
      if (lastAt >= atMs) return;
      this.#seen.delete(key);
    }
  }
}
