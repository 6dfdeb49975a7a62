import type { StateScope } from "../../base/server-events.ts";
import { firstOf, type Steps } from "./steps.ts";

/** Plan mode of one scope: there is a row while it is active. */
export interface ActivePlan {
  readonly goal: string;
  /** Absolute real path. */
  readonly planFile: string;
  /** ms since 1970. */
  readonly startedAtMs: number;
}

const columns = 'goal, plan_file AS "planFile", started_ms AS "startedAtMs"';

/** The plan of a workspace and owner, for callers that only look. */
export const planQuery = `SELECT ${columns} FROM plans WHERE workspace = $1 AND owner = $2`;

/** Null when plan mode is not active. */
export function* getPlan({ workspace, owner }: StateScope): Steps<ActivePlan | null> {
  return (yield* firstOf<ActivePlan>(planQuery, workspace, owner)) ?? null;
}

/** Keeps `plan` unless one is active. Returns the one that is active now: compare it with yours. */
export function* setPlanIfInactive(
  scope: StateScope,
  plan: ActivePlan,
): Steps<{ isSet: boolean; plan: ActivePlan }> {
  const text = `INSERT INTO plans (workspace, owner, goal, plan_file, started_ms)
    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (workspace, owner) DO NOTHING RETURNING owner`;
  const { workspace, owner } = scope;
  for (;;) {
    const active = yield* getPlan(scope);
    if (active !== null) return { isSet: false, plan: active };
    const { goal, planFile, startedAtMs } = plan;
    const added = yield* firstOf(text, workspace, owner, goal, planFile, startedAtMs);
    // Otherwise another process was quicker, whose plan is read.
    if (added !== undefined) return { isSet: true, plan };
  }
}

/** Ends it if it began at `startedAtMs` (null: whenever it began). Returns the ended plan mode, or null. */
export function* clearPlan(
  { workspace, owner }: StateScope,
  startedAtMs: number | null,
): Steps<ActivePlan | null> {
  const text = "DELETE FROM plans WHERE workspace = $1 AND owner = $2";
  const cleared =
    startedAtMs === null
      ? yield* firstOf<ActivePlan>(`${text} RETURNING ${columns}`, workspace, owner)
      : yield* firstOf<ActivePlan>(
          `${text} AND started_ms = $3 RETURNING ${columns}`,
          workspace,
          owner,
          startedAtMs,
        );
  return cleared ?? null;
}
