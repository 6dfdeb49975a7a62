import type { StateScope } from "../../base/server-events.ts";
import { LookFile } from "./look-file.ts";
import { type ActivePlan, planQuery } from "./plan-table.ts";

export type PlanSight =
  /** `plan` is null when plan mode is not active. */
  | { readonly kind: "seen"; readonly plan: ActivePlan | null }
  /** The file is there and says nothing now: damaged, or held by another process. */
  | { readonly kind: "unreadable"; readonly reason: string };

/** Looks which plan is active: every command asks, and another process may have entered plan mode. */
export class PlanLook {
  readonly #file: LookFile;

  constructor(path: string) {
    this.#file = new LookFile(path);
  }

  /** Never throws and never waits; see `LookFile`. */
  look({ workspace, owner }: StateScope): PlanSight {
    const sight = this.#file.first<ActivePlan>(planQuery, workspace, owner);
    return sight.kind === "seen" ? { kind: "seen", plan: sight.row } : sight;
  }

  close(): void {
    this.#file.close();
  }
}
