import type { TaskEntry, WorkEntry } from "../attach/messages.ts";
import { cutCells, safeLine, wrapCells } from "./cells.ts";
import type { Key } from "./keys.ts";
import {
  type Hint,
  passingTime,
  ScrollText,
  type Size,
  type View,
  type ViewContext,
} from "./view.ts";

/** Tasks and plan of each workspace in which a client works. */
export class TasksView implements View {
  readonly title = "Tasks";
  readonly isWriting = false;
  readonly hints: readonly Hint[] = [["↑↓", "scroll"]];
  readonly #context: ViewContext;
  readonly #scroll = new ScrollText();

  constructor(context: ViewContext) {
    this.#context = context;
  }

  get count(): number {
    return this.#work.reduce((sum, { pending }) => sum + pending, 0);
  }

  draw({ columns, rows }: Size): readonly string[] {
    const lines = this.#work.flatMap((work) => this.#drawWork(work, columns));
    if (lines.length > 0) return this.#scroll.window(lines, rows);
    const { look } = this.#context;
    return [
      "",
      ` ${look.dim(cutCells("No tasks. A workspace appears when its client has called a tool.", columns - 2))}`,
    ];
  }

  press(key: Key): boolean {
    return this.#scroll.press(key);
  }

  /** Several servers may work in the same workspace. */
  get #work(): readonly WorkEntry[] {
    const all = this.#context.model.servers.flatMap(({ state }) => state?.work ?? []);
    const byScope = new Map(
      all.map((work) => [JSON.stringify([work.workspace, work.owner]), work]),
    );
    return [...byScope.values()];
  }

  #drawWork(work: WorkEntry, columns: number): string[] {
    const { look } = this.#context;
    const owner = work.owner === "" ? "" : ` (${safeLine(work.owner)})`;
    const done = work.total - work.pending;
    const counts = work.total === 0 ? "no tasks" : `${done} of ${work.total} done`;
    const name = cutCells(safeLine(work.workspace) + owner, columns - counts.length - 5);
    return [
      ` ${look.bold(name)}  ${look.dim(counts)}`,
      ...this.#drawPlan(work, columns),
      ...work.tasks.flatMap((task) =>
        this.#drawTask(task, task.taskId === work.currentTaskId, columns),
      ),
      ...this.#drawRest(work.total - work.tasks.length),
      "",
    ];
  }

  /** Servers do not tell all of many tasks. */
  #drawRest(count: number): string[] {
    return count > 0 ? [below(this.#context.look.dim(`and ${count} more tasks`))] : [];
  }

  #drawPlan({ plan }: WorkEntry, columns: number): string[] {
    const { look, now } = this.#context;
    if (plan?.active !== true) return [];
    const since = plan.startedAt === null ? "" : ` for ${passingTime(now() - plan.startedAt)}`;
    const goal = wrapCells(safeLine(plan.goal ?? ""), columns - 4);
    return [
      `   ${look.warning(cutCells(`Plan mode${since}`, columns - 4))}`,
      ...goal.map((line) => `   ${line}`),
      ...(plan.planFile === null
        ? []
        : [`   ${look.dim(cutCells(safeLine(plan.planFile), columns - 4))}`]),
    ];
  }

  #drawTask(task: TaskEntry, isCurrent: boolean, columns: number): string[] {
    const { look } = this.#context;
    const pointer = isCurrent ? look.accent(look.signs.pointer) : " ";
    const id = `${task.taskId}`.padStart(3);
    const hidden = task.stepCount - task.steps.length;
    const head = this.#drawLine(task.isDone, task.text, columns - 8);
    const steps = task.steps.flatMap(({ isDone, text }) =>
      this.#drawLine(isDone, text, columns - 11),
    );
    const more = hidden > 0 ? [look.dim(`and ${hidden} more`)] : [];
    return [
      ...head.map((line, row) => (row === 0 ? ` ${pointer} ${look.dim(id)} ${line}` : below(line))),
      ...[...steps, ...more].map((line) => below(`   ${line}`)),
    ];
  }

  /** Something that is done or not, in as many lines as its text needs. */
  #drawLine(isDone: boolean, text: string, width: number): string[] {
    const { look } = this.#context;
    const sign = isDone ? look.good(look.signs.done) : look.dim(look.signs.open);
    return wrapCells(safeLine(text), width - 2).map((line, row) => {
      const shown = isDone ? look.dim(line) : line;
      return row === 0 ? `${sign} ${shown}` : `  ${shown}`;
    });
  }
}

/** A line below the one that has the id. */
function below(line: string): string {
  return `       ${line}`;
}
