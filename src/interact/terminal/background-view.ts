import type { BackgroundEntry } from "../attach/messages.ts";
import type { Owned } from "./attach-model.ts";
import { cutCells, fitCells, safeLine, widthOf } from "./cells.ts";
import type { Key } from "./keys.ts";
import { OutputView, shortState, signOf } from "./output-view.ts";
import { drawRows, type Hint, Selection, type Size, type View, type ViewContext } from "./view.ts";

type Entry = Owned<BackgroundEntry>;

/** Cells of the column with a task's state. */
const stateCells = 22;

/** The background tasks of all servers, and the output of one. */
export class BackgroundView implements View {
  readonly title = "Background";
  readonly isWriting = false;
  readonly output: OutputView;
  readonly #context: ViewContext;
  readonly #selection = new Selection<Entry>(({ serverId, client, taskId }) =>
    [serverId, client, taskId].join("/"),
  );

  constructor(context: ViewContext) {
    this.#context = context;
    this.output = new OutputView(context);
  }

  get count(): number {
    return this.#context.model.background.filter(({ state }) => state === "running").length;
  }

  get hints(): readonly Hint[] {
    const task = this.output.task ?? this.#chosen;
    const kill: readonly Hint[] = task?.state === "running" ? [["x", "kill"]] : [];
    if (this.output.isOpen) return [...this.output.hints, ...kill, ["esc", "back"]];
    return task === undefined ? [] : [["↑↓", "move"], ["enter", "output"], ...kill];
  }

  draw(size: Size): readonly string[] {
    const { look, model } = this.#context;
    if (this.output.isOpen) return this.output.draw(size);
    const { background } = model;
    if (background.length === 0) return ["", ` ${look.dim("No background tasks.")}`];
    return drawRows(background, this.#selection, size, look, (entry, width, isChosen) =>
      this.#drawRow(entry, width, isChosen),
    );
  }

  press(key: Key): boolean {
    const { background } = this.#context.model;
    if (key.name === "x") return this.#kill(this.output.task ?? this.#chosen);
    if (this.output.isOpen) return this.output.press(key);
    if (key.name === "enter" || key.name === "right" || key.name === "l") {
      if (this.#chosen !== undefined) this.output.open(this.#chosen);
      return true;
    }
    return this.#selection.press(key, background);
  }

  get #chosen(): Entry | undefined {
    return this.#selection.chosen(this.#context.model.background);
  }

  #kill(task: Entry | undefined): boolean {
    if (task?.state !== "running") return task !== undefined;
    const { serverId, client, taskId } = task;
    const command = cutCells(safeLine(task.command), 40);
    this.#context.confirm(`End background task ${taskId} (${command})?`, () => {
      this.#context.request(serverId, (request) => ({ type: "kill", request, client, taskId }));
    });
    return true;
  }

  #drawRow(entry: Entry, width: number, isChosen: boolean): string {
    const { look, model, now } = this.#context;
    const owner = model.servers.length > 1 ? `${model.serverName(entry.serverId)}  ` : "";
    const id = String(entry.taskId).padStart(3);
    const state = fitCells(shortState(entry, now()), stateCells);
    const room = width - widthOf(`x ${id}  ${state}  ${owner}`);
    const command = cutCells(safeLine(entry.command), Math.max(0, room));
    const shown = isChosen ? look.bold(command) : command;
    return `${signOf(entry, look)} ${id}  ${look.dim(state)}  ${look.dim(owner)}${shown}`;
  }
}
