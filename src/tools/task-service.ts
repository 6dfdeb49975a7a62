import type { TaskReply, TaskRequest } from "../state/store/tasks/task-records.ts";

export type { Task, TaskReply, TaskRequest } from "../state/store/tasks/task-records.ts";

/** A reply, and what a person must know of the file that keeps the tasks. */
export interface TasksReply extends TaskReply {
  /** Sentences; almost always none. */
  readonly notices: readonly string[];
}

/** What TaskManager asks of the store. Scope and client are known to whoever serves the call. */
export interface TasksService {
  /** Resolves when the change is on the disk. @throws AppError `not_found`, `usage`, `limit`, `system` */
  perform(request: TaskRequest): Promise<TasksReply>;
}
