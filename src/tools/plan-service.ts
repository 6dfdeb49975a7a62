export interface PlanState {
  readonly active: boolean;
  readonly goal: string | null;
  /** Absolute real path. */
  readonly planFile: string | null;
  /** ms since 1970. */
  readonly startedAtMs: number | null;
}

/** The plan as its file contains it. */
export interface PlanText {
  /** Absolute real path. */
  readonly planFile: string;
  readonly text: string;
  /** When the plan mode began that it was read in, in ms since 1970. */
  readonly startedAtMs: number;
}

export type PlanChange =
  | { readonly action: "enter"; readonly goal: string; readonly planFile: string | null }
  /** Ends the plan mode that began then, and no later one. */
  | { readonly action: "exit"; readonly startedAtMs: number }
  | { readonly action: "reset" };

export interface PlanReply {
  readonly state: PlanState;
  /** What the sandbox will and will not hold; empty when plan mode is over. */
  readonly notes: readonly string[];
}

export interface PlanService {
  status(): Promise<PlanReply>;
  /**
   * The text of the plan; `planFile` as the model gave it, null = that of plan mode.
   * @throws AppError `refused` outside of the workspace, `not_found`, `usage` when plan mode is not active
   */
  read(request: { readonly planFile: string | null }): Promise<PlanText>;
  /** @throws AppError `usage`, `refused`, `system` */
  change(request: PlanChange): Promise<PlanReply>;
}
