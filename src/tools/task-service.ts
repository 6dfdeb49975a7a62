/** What TaskManager asks of the store. Scope and client are known to whoever serves the call. */
export type TaskRequest =
  | { readonly action: "create"; readonly text: string }
  | { readonly action: "add"; readonly taskId: number | null; readonly text: string }
  | { readonly action: "complete"; readonly taskId: number | null; readonly stepId: number | null }
  /** `words`: all of them must occur in the task or one of its steps. */
  | { readonly action: "list" | "pending"; readonly words: readonly string[] }
  | {
      readonly action: "switch";
      readonly taskId: number | null;
      readonly words: readonly string[];
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
  readonly steps: readonly TaskStep[];
}

export interface TaskReply {
  /** The task that was changed, or those that were asked for, by id. */
  readonly tasks: readonly Task[];
  readonly currentTaskId: number | null;
  /** The step that was added or completed. */
  readonly stepId: number | null;
  /** Tasks of the workspace in all, and those that are not done. */
  readonly total: number;
  readonly pending: number;
}

export interface TasksService {
  /** Resolves when the change is on the disk. @throws AppError `not_found`, `usage`, `limit`, `system` */
  perform(request: TaskRequest): Promise<TaskReply>;
}
