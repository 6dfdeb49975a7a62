import { Database } from "bun:sqlite";

import { messageOf } from "../base/errors.ts";
import type { StateScope } from "../base/server-events.ts";
import { type FileIdentity, identityOf } from "./file-identity.ts";
import { type ActivePlan, planQuery } from "./plan-table.ts";

export type PlanSight =
  /** `plan` is null when plan mode is not active. */
  | { readonly kind: "seen"; readonly plan: ActivePlan | null }
  /** The file is there and says nothing now: damaged, or held by another process. */
  | { readonly kind: "unreadable"; readonly reason: string };

const none: PlanSight = { kind: "seen", plan: null };

/**
 * Looks which plan is active without waiting for anybody, some ten microseconds long: every command asks, and another
 * process may have entered plan mode. Reads only; where there is no file there is no plan, and none is made.
 */
export class PlanLook {
  readonly #path: string;
  #open: { readonly database: Database; readonly identity: FileIdentity } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Never throws. What was acknowledged before the call, in any process, is seen. */
  look({ workspace, owner }: StateScope): PlanSight {
    const identity = identityOf(this.#path);
    if (identity !== this.#open?.identity) this.close();
    if (identity === undefined) return none;
    try {
      this.#open ??= { database: new Database(this.#path, { readonly: true }), identity };
      const plan = this.#open.database.query(planQuery).get(workspace, owner);
      return { kind: "seen", plan: plan as ActivePlan | null };
    } catch (error) {
      // A file of an older version, or one that another process is making.
      if (messageOf(error).includes("no such table: plans")) return none;
      this.close();
      return { kind: "unreadable", reason: `${this.#path}: ${messageOf(error)}` };
    }
  }

  close(): void {
    const { database } = this.#open ?? {};
    this.#open = undefined;
    try {
      database?.close();
    } catch {
      // Nothing was written through it.
    }
  }
}
