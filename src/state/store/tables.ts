import type { Database } from "bun:sqlite";

/** One run of the server. With the boot and the start time, a process id identifies one process permanently. */
export interface ServerInstance {
  readonly id: string;
  readonly pid: number;
  /** Clock ticks after boot; 0 where that is unknown. */
  readonly startTicks: number;
  /** Changes with every boot; empty where that is unknown. */
  readonly bootId: string;
}

/** A process group that was alive when it was last heard of. */
export interface LiveGroup {
  readonly groupId: number;
  /** When its leader started. */
  readonly startTicks: number;
}

/**
 * The server runs that have children, so that the next start can end the processes that a run left behind when both it
 * and its guardian were killed.
 */
export class Ledger implements Disposable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  addInstance({ id, pid, startTicks, bootId }: ServerInstance): void {
    this.#database
      .query("INSERT OR REPLACE INTO instances (id, pid, start_ticks, boot_id) VALUES (?, ?, ?, ?)")
      .run(id, pid, startTicks, bootId);
  }

  /** Forgets a run and its groups: nothing of it is left. */
  removeInstance(id: string): void {
    this.#database.query("DELETE FROM instances WHERE id = ?").run(id);
  }

  addGroup(instanceId: string, { groupId, startTicks }: LiveGroup): void {
    this.#database
      .query(
        "INSERT OR REPLACE INTO live_groups (instance_id, group_id, start_ticks) VALUES (?, ?, ?)",
      )
      .run(instanceId, groupId, startTicks);
  }

  removeGroup(instanceId: string, groupId: number): void {
    this.#database
      .query("DELETE FROM live_groups WHERE instance_id = ? AND group_id = ?")
      .run(instanceId, groupId);
  }

  instances(): ServerInstance[] {
    return this.#database
      .query<ServerInstance, []>(
        "SELECT id, pid, start_ticks AS startTicks, boot_id AS bootId FROM instances",
      )
      .all();
  }

  groupsOf(instanceId: string): LiveGroup[] {
    return this.#database
      .query<LiveGroup, string>(
        "SELECT group_id AS groupId, start_ticks AS startTicks FROM live_groups WHERE instance_id = ?",
      )
      .all(instanceId);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

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
export class EngineSuspensions implements Disposable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  all(): EngineSuspension[] {
    return this.#database
      .query<EngineSuspension, []>(`SELECT ${columns} FROM engine_suspensions`)
      .all();
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
   * Replaces the present suspension with the result of `change`, with no other process in between.
   * Undefined = not suspended.
   */
  update(
    engine: string,
    change: (present: EngineSuspension | undefined) => EngineSuspension | undefined,
  ): void {
    this.#database
      .transaction(() => {
        const row = this.#database
          .query<EngineSuspension, string>(
            `SELECT ${columns} FROM engine_suspensions WHERE engine = ?`,
          )
          .get(engine);
        this.#put(engine, change(row ?? undefined));
      })
      .immediate();
  }

  clear(): void {
    this.#database.query("DELETE FROM engine_suspensions").run();
  }

  [Symbol.dispose](): void {
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
