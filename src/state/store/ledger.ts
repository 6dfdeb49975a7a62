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
export class Ledger {
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
    const rows = this.#database
      .query("SELECT id, pid, start_ticks AS startTicks, boot_id AS bootId FROM instances")
      .all();
    return rows as ServerInstance[];
  }

  groupsOf(instanceId: string): LiveGroup[] {
    const rows = this.#database
      .query(
        "SELECT group_id AS groupId, start_ticks AS startTicks FROM live_groups WHERE instance_id = ?",
      )
      .all(instanceId);
    return rows as LiveGroup[];
  }

  close(): void {
    this.#database.close();
  }
}
