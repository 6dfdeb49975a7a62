/** A request about the tasks of one scope. */
export type TaskRequest =
  | { readonly action: "create"; readonly text: string }
  | { readonly action: "add"; readonly taskId: number | null; readonly text: string }
  | { readonly action: "complete"; readonly taskId: number | null; readonly stepId: number | null }
  | {
      readonly action: "list" | "pending";
      /** All of them must occur in the task or its steps. */
      readonly words: readonly string[];
      /** About as many characters as the tasks of the reply may have, shown as text; absent: those of a usual result. */
      readonly charsMax?: number;
    }
  | {
      readonly action: "switch";
      readonly taskId: number | null;
      readonly words: readonly string[];
      readonly charsMax?: number;
    };

export interface TaskStep {
  readonly stepId: number;
  readonly text: string;
  readonly isDone: boolean;
}

export interface Task {
  readonly taskId: number;
  readonly text: string;
  readonly isDone: boolean;
  /** The steps that the reply is about; `stepCount` says how many there are. */
  readonly steps: readonly TaskStep[];
  readonly stepCount: number;
  readonly stepsDone: number;
}

export interface TaskReply {
  /** The task that was changed, or those that were asked for and have room, by id. */
  readonly tasks: readonly Task[];
  /** How many were asked for, those that have no room included. */
  readonly matching: number;
  /** True when long texts were cut so that more tasks have room. */
  readonly isCut: boolean;
  readonly currentTaskId: number | null;
  /** The step that was added or completed. */
  readonly stepId: number | null;
  /** False when everything was as it should be before. */
  readonly isChanged: boolean;
  /** Tasks of the workspace in all, and those that are not done. */
  readonly total: number;
  readonly pending: number;
}
