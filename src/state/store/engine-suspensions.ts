import type { Database } from "bun:sqlite";

/** A search engine that is left alone for a while. */
export interface EngineSuspension {
  readonly engine: string;
  /** Why, for a person. */
  readonly reason: string;
  /** End of it, in ms of the wall clock: it is meant for other processes too. */
  readonly untilMs: number;
  /** Until then some process finds out whether the engine answers again; 0 = none does. */
  readonly probeUntilMs: number;
  /** Failures of each kind since the engine last answered. */
  readonly challenges: number;
  readonly denials: number;
  readonly faults: number;
}

const columns =
  "engine, reason, until_ms AS untilMs, probe_until_ms AS probeUntilMs, challenges, denials, faults";

/** Which search engines are suspended, for all processes. Decides nothing. Every method may throw an SQLite error. */
export class EngineSuspensions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  all(): EngineSuspension[] {
    const rows = this.#database.query(`SELECT ${columns} FROM engine_suspensions`).all();
    return rows as EngineSuspension[];
  }

  /**
   * Makes the caller the one that probes the engine until `probeUntilMs`. False when the suspension is not as it was
   * seen any more: another process was quicker.
   */
  claimProbe(seen: EngineSuspension, probeUntilMs: number): boolean {
    const { changes } = this.#database
      .query(
        `UPDATE engine_suspensions SET probe_until_ms = ?
         WHERE engine = ? AND until_ms = ? AND probe_until_ms = ?`,
      )
      .run(probeUntilMs, seen.engine, seen.untilMs, seen.probeUntilMs);
    return changes === 1;
  }

  /**
   * Puts what `change` makes of the present suspension in its place, with no other process in between.
   * Undefined = not suspended.
   */
  update(
    engine: string,
    change: (present: EngineSuspension | undefined) => EngineSuspension | undefined,
  ): void {
    this.#database
      .transaction(() => {
        const row = this.#database
          .query(`SELECT ${columns} FROM engine_suspensions WHERE engine = ?`)
          .get(engine);
        this.#put(engine, change((row as EngineSuspension | null) ?? undefined));
      })
      .immediate();
  }

  clear(): void {
    this.#database.query("DELETE FROM engine_suspensions").run();
  }

  close(): void {
    this.#database.close();
  }

  #put(engine: string, suspension: EngineSuspension | undefined): void {
    if (suspension === undefined) {
      this.#database.query("DELETE FROM engine_suspensions WHERE engine = ?").run(engine);
      return;
    }
    const { reason, untilMs, probeUntilMs, challenges, denials, faults } = suspension;
    this.#database
      .query(
        `INSERT OR REPLACE INTO engine_suspensions
           (engine, reason, until_ms, probe_until_ms, challenges, denials, faults)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(engine, reason, untilMs, probeUntilMs, challenges, denials, faults);
  }
}
