import { oneLine } from "../../../base/cut-text.ts";
import { AppError } from "../../../base/errors.ts";
import { resultCharsMax, tasksMax, taskStepsMax } from "../../../base/limits.ts";
import type { StateScope } from "../../../base/server-events.ts";
import type { Dialect, Steps } from "../steps.ts";
import { fitTasks, selectTasks, taskTextFrom, wholeTask, wordsFrom } from "./select-tasks.ts";
import type { Task, TaskReply, TaskRequest, TaskStep } from "./task-records.ts";
import {
  claimScope,
  readScope,
  saveScope,
  type ScopeRow,
  type StepRow,
  type TaskRow,
  TaskTable,
} from "./task-table.ts";

type Of<Action> = Extract<TaskRequest, { action: Action }>;

/** The outcome of an action, beside the parts that every reply has. */
type Done = Partial<TaskReply> & Pick<TaskReply, "tasks">;

/**
 * Performs a request on the tasks of a scope. Runs in a transaction of the caller's.
 * @throws AppError `not_found`, `usage`, `limit`, with nothing changed if the caller rolls back
 */
export function* performTaskRequest(
  dialect: Dialect,
  scope: StateScope,
  request: TaskRequest,
): Steps<TaskReply> {
  const isChange = request.action !== "list" && request.action !== "pending";
  const row = yield* isChange ? claimScope(dialect, scope) : readScope(scope);
  const book = new TaskBook(new TaskTable(dialect, row.scopeId), row);
  const done = yield* book.perform(request);
  const { currentTaskId, total, pending } = row;
  const isChanged = isChange && done.isChanged !== false;
  if (isChanged) yield* saveScope(row);
  const matching = done.matching ?? done.tasks.length;
  const stepId = done.stepId ?? null;
  const isCut = done.isCut ?? false;
  return { tasks: done.tasks, matching, isCut, currentTaskId, stepId, isChanged, total, pending };
}

class TaskBook {
  readonly #table: TaskTable;
  readonly #scope: ScopeRow;

  constructor(table: TaskTable, scope: ScopeRow) {
    this.#table = table;
    this.#scope = scope;
  }

  *perform(request: TaskRequest): Steps<Done> {
    switch (request.action) {
      case "create":
        return yield* this.#create(request);
      case "add":
        return yield* this.#add(request);
      case "complete":
        return yield* request.stepId === null
          ? this.#completeTask(request.taskId)
          : this.#completeStep(request.stepId, request.taskId);
      case "list":
      case "pending":
        return yield* this.#list(request);
      case "switch":
        return yield* this.#switch(request);
    }
  }

  *#create({ text }: Of<"create">): Steps<Done> {
    const scope = this.#scope;
    if (scope.total >= tasksMax) throw fullError(`${tasksMax} tasks`, "this workspace");
    const task = { taskId: scope.lastTaskId + 1, text: taskTextFrom(text), isDone: false };
    yield* this.#table.addTasks([task]);
    scope.lastTaskId = task.taskId;
    scope.currentTaskId = task.taskId;
    scope.total += 1;
    scope.pending += 1;
    return { tasks: [yield* this.#about(task, [])] };
  }

  *#add({ taskId, text }: Of<"add">): Steps<Done> {
    const scope = this.#scope;
    const task = yield* this.#taskOf(taskId, "add");
    const { stepCount } = yield* this.#table.stepCounts(task.taskId);
    if (stepCount >= taskStepsMax) throw fullError(`${taskStepsMax} steps`, `task ${task.taskId}`);
    const stepId = scope.lastStepId + 1;
    const step = { stepId, text: taskTextFrom(text), isDone: false };
    yield* this.#table.addSteps([{ ...step, taskId: task.taskId }]);
    scope.lastStepId = stepId;
    if (task.isDone) {
      yield* this.#table.markTask(task.taskId, false);
      scope.pending += 1;
    }
    return { tasks: [yield* this.#about({ ...task, isDone: false }, [step])], stepId };
  }

  /** Shows the step that comes next, too. */
  *#completeStep(stepId: number, taskId: number | null): Steps<Done> {
    const step = yield* this.#stepOf(stepId, taskId);
    const isChanged = !step.isDone;
    yield* this.#table.completeStep(stepId);
    const steps = yield* this.#table.steps(step.taskId);
    const next = steps.find(({ isDone }) => !isDone);
    const done = { stepId, text: step.text, isDone: true };
    const task = yield* this.#taskOf(step.taskId, "complete");
    const shown = next === undefined ? [done] : [done, next];
    return { tasks: [yield* this.#about(task, shown)], stepId, isChanged };
  }

  *#completeTask(taskId: number | null): Steps<Done> {
    const scope = this.#scope;
    const task = yield* this.#taskOf(taskId, "complete");
    if (task.isDone) return { tasks: [yield* this.#about(task, [])], isChanged: false };
    yield* this.#table.markTask(task.taskId, true);
    scope.pending -= 1;
    if (scope.currentTaskId === task.taskId) scope.currentTaskId = null;
    return { tasks: [yield* this.#about({ ...task, isDone: true }, [])] };
  }

  *#list({ action, words, charsMax = resultCharsMax }: Of<"list" | "pending">): Steps<Done> {
    const { total, pending, currentTaskId } = this.#scope;
    const isPending = action === "pending";
    const countWithoutWords = isPending ? pending : total;
    const wanted = {
      isPending,
      words: wordsFrom(words),
      countWithoutWords,
      currentTaskId,
      charsMax,
    };
    const { tasks, matching } = yield* selectTasks(this.#table, wanted);
    return { ...fitTasks(tasks, charsMax), matching };
  }

  *#switch({ taskId, words, charsMax = resultCharsMax }: Of<"switch">): Steps<Done> {
    const task = yield* taskId === null ? this.#onlyMatch(words) : this.#taskOf(taskId, "switch");
    const isChanged = this.#scope.currentTaskId !== task.taskId;
    this.#scope.currentTaskId = task.taskId;
    return { ...fitTasks([yield* wholeTask(this.#table, task)], charsMax), isChanged };
  }

  *#onlyMatch(words: readonly string[]): Steps<TaskRow> {
    if (words.length === 0) {
      throw new AppError("usage", "switch needs `task_id`, or words of one task in `query`.");
    }
    const found = { isPending: false, countWithoutWords: 0, currentTaskId: null, charsMax: 0 };
    const wanted = { ...found, words: wordsFrom(words) };
    const { tasks, matching } = yield* selectTasks(this.#table, wanted);
    const [only] = tasks;
    if (only === undefined) {
      throw new AppError("not_found", `No task contains ${quoted(words)}: list shows all tasks.`);
    }
    if (matching > 1) throw ambiguousError(words, tasks, matching);
    return only;
  }

  /** The task of that id, or the current one. */
  *#taskOf(taskId: number | null, action: string): Steps<TaskRow> {
    const id = taskId ?? this.#scope.currentTaskId;
    if (id === null) {
      const remedy = "give `task_id`, or make one current with switch or create";
      throw new AppError("usage", `No task is current, and ${action} needs one: ${remedy}.`);
    }
    const task = yield* this.#table.task(id);
    if (task === undefined) throw this.#unknown(`task_id ${id}`);
    return task;
  }

  *#stepOf(stepId: number, taskId: number | null): Steps<StepRow> {
    const step = yield* this.#table.step(stepId);
    if (step === undefined) throw this.#unknown(`step_id ${stepId}`);
    if (taskId === null || taskId === step.taskId) return step;
    const fact = `Step ${stepId} belongs to task ${step.taskId}, not to task ${taskId}`;
    throw new AppError("usage", `${fact}: leave \`task_id\` out, or give the right one.`);
  }

  #unknown(what: string): AppError {
    const { total } = this.#scope;
    const remedy = total === 0 ? "there are no tasks yet; create makes one" : "list shows the ids";
    return new AppError("not_found", `There is no ${what} in this workspace: ${remedy}.`);
  }

  *#about(task: TaskRow, steps: readonly TaskStep[]): Steps<Task> {
    return { ...task, steps, ...(yield* this.#table.stepCounts(task.taskId)) };
  }
}

/** How many of the tasks that fit are named: as many as help to choose. */
const namedMatchesMax = 10;

function ambiguousError(words: readonly string[], tasks: readonly Task[], count: number): AppError {
  const named = tasks
    .slice(0, namedMatchesMax)
    .map(({ taskId, text }) => `task ${taskId} (${oneLine(text, 60)})`);
  const more = count > named.length ? `, and ${count - named.length} more` : "";
  const text = `${count} tasks contain ${quoted(words)}: ${named.join(", ")}${more}. Give \`task_id\`.`;
  return new AppError("usage", text);
}

function quoted(words: readonly string[]): string {
  return words.length === 1
    ? `the word ${JSON.stringify(words[0])}`
    : `the words ${JSON.stringify(words.join(" "))}`;
}

function fullError(what: string, where: string): AppError {
  return new AppError("limit", `There are already ${what} in ${where}, the maximum.`);
}
