import type { TaskReply, TaskRequest } from "../state/store/tasks/task-records.ts";

export type { Task, TaskReply, TaskRequest } from "../state/store/tasks/task-records.ts";

/** A reply, and notices about the file that keeps the tasks. */
export interface TasksReply extends TaskReply {
  /** Sentences; almost always none. */
  readonly notices: readonly string[];
}

/** The request of TaskManager to the store. The service that serves the call knows scope and client. */
export interface TasksService {
  /** Resolves when the change is on the disk. @throws AppError `not_found`, `usage`, `limit`, `system` */
  perform(request: TaskRequest): Promise<TasksReply>;
}
