import type { Database } from "bun:sqlite";

import type { StateScope } from "../../base/server-events.ts";

/** Plan mode of one scope: there is a row while it is active. */
export interface ActivePlan {
  readonly goal: string;
  /** Absolute real path. */
  readonly planFile: string;
  /** ms since 1970. */
  readonly startedAtMs: number;
}

export const planQuery =
  "SELECT goal, plan_file AS planFile, started_ms AS startedAtMs FROM plans WHERE workspace = ? AND owner = ?";

/** Which scopes are in plan mode, for all processes. Decides nothing. Every method may throw an SQLite error. */
export class PlanTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Null when plan mode is not active. */
  get({ workspace, owner }: StateScope): ActivePlan | null {
    return this.#database.query(planQuery).get(workspace, owner) as ActivePlan | null;
  }

  /** Keeps `plan` unless one is active. Returns the one that is active now: compare it with yours. */
  setIfInactive(scope: StateScope, plan: ActivePlan): { isSet: boolean; plan: ActivePlan } {
    const active = this.get(scope);
    if (active !== null) return { isSet: false, plan: active };
    this.#database
      .query(
        "INSERT INTO plans (workspace, owner, goal, plan_file, started_ms) VALUES (?, ?, ?, ?, ?)",
      )
      .run(scope.workspace, scope.owner, plan.goal, plan.planFile, plan.startedAtMs);
    return { isSet: true, plan };
  }

  /** Ends it if it began at `startedAtMs` (null: whenever it began). Returns the ended plan mode, or null. */
  clear(scope: StateScope, startedAtMs: number | null): ActivePlan | null {
    const active = this.get(scope);
    if (startedAtMs !== null && active?.startedAtMs !== startedAtMs) return null;
    this.#database
      .query("DELETE FROM plans WHERE workspace = ? AND owner = ?")
      .run(scope.workspace, scope.owner);
    return active;
  }
}
