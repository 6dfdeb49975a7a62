import { formatCount } from "../../base/cut-text.ts";
import { attachOutputLinesMax } from "../../base/limits.ts";
import { describeState } from "../../base/shown-state.ts";
import type { BackgroundEntry, OutputPiece } from "../attach/messages.ts";
import type { Owned } from "./attach-model.ts";
import { breakCells, cutCells, type Look, safeLine, safeText } from "./cells.ts";
import type { Key } from "./keys.ts";
import { type Hint, passingTime, type Size, type ViewContext } from "./view.ts";

/** The state of a background task, as one sign. */
export function signOf({ state }: Pick<BackgroundEntry, "state">, look: Look): string {
  switch (state) {
    case "running":
      return look.accent(look.signs.running);
    case "exited":
      return look.good(look.signs.done);
    case "failed":
    case "killed":
    case "timed_out":
    case "lost":
      return look.bad(look.signs.failed);
  }
}

/** As many words as a column has room for. */
export function shortState(entry: BackgroundEntry, now: number): string {
  if (entry.state === "running") return passingTime(now - entry.startedAt);
  const time = passingTime(entry.runtimeMs);
  if (entry.state === "exited") return `done after ${time}`;
  if (entry.state === "failed") return `${entry.signal ?? `code ${entry.exitCode}`} after ${time}`;
  return `${entry.state.replace("_", " ")} after ${time}`;
}

/** Everything known about a task's state. */
function longState(entry: BackgroundEntry, now: number): string {
  if (entry.state !== "running") return describeState(entry);
  const running = `running for ${passingTime(now - entry.startedAt)}`;
  // A call to an upstream server has no process here.
  return entry.pid === 0 ? running : `${running}, pid ${entry.pid}`;
}

/** Sequences that colour text, move the cursor or talk to the terminal, whole or without their end. */
const sequences =
  // eslint-disable-next-line no-control-regex -- naming control characters is the purpose
  /\u001b(?:\[[0-?]*[ -/]*[@-~]?|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

/** The output of a task as a terminal may show it: text and nothing else. */
export class OutputLog {
  #lines: string[] = [];
  #partial = "";

  /**
   * @param isFirst what was there before is not continued
   * @returns how many of the oldest lines have gone
   */
  add(piece: {
    readonly isFirst: boolean;
    readonly text: string;
    readonly partial: string;
    readonly skippedBytes: number;
  }): number {
    if (piece.isFirst) this.#lines = [];
    if (piece.skippedBytes > 0) {
      this.#lines.push(`[${formatCount(piece.skippedBytes)} bytes are not shown]`);
    }
    const lines = piece.text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    this.#lines.push(...lines.map(plainLine));
    const gone = Math.max(0, this.#lines.length - attachOutputLinesMax);
    this.#lines = this.#lines.slice(gone);
    this.#partial = plainLine(piece.partial);
    return gone;
  }

  /** How many lines there are. */
  get length(): number {
    return this.#lines.length + (this.#partial === "" ? 0 : 1);
  }

  /** The last rows of the lines up to `end` (a number of lines), `height` of them at most. */
  rowsBefore(end: number, width: number, height: number): string[] {
    const rows: string[] = [];
    for (let line = end - 1; line >= 0 && rows.length < height; line--) {
      rows.unshift(...breakCells(this.#lines[line] ?? this.#partial, width));
    }
    return rows.slice(-height);
  }
}

/** For a line that overwrites itself, as progress bars do, the last text is kept. */
function plainLine(line: string): string {
  const parts = line.replaceAll(sequences, "").split("\r");
  return safeText(parts.findLast((part) => part !== "") ?? "");
}

type Entry = Owned<BackgroundEntry>;

type Action = "close" | "line up" | "line down" | "page up" | "page down" | "top" | "follow";

/** The action of each key. */
const actions: ReadonlyMap<string, Action> = new Map([
  ["escape", "close"],
  ["left", "close"],
  ["h", "close"],
  ["backspace", "close"],
  ["up", "line up"],
  ["k", "line up"],
  ["down", "line down"],
  ["j", "line down"],
  ["pageup", "page up"],
  ["pagedown", "page down"],
  [" ", "page down"],
  ["home", "top"],
  ["g", "top"],
  ["end", "follow"],
  ["G", "follow"],
  ["f", "follow"],
]);

/** The output of one background task: its end while it grows, or any part of it. */
export class OutputView {
  readonly #context: ViewContext;
  #opened: Entry | undefined;
  #log = new OutputLog();
  /** The line below the window; undefined follows the end. */
  #end: number | undefined;
  #page = 1;

  constructor(context: ViewContext) {
    this.#context = context;
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  /** The task as it is now; as it was last when its server has gone. */
  get task(): Entry | undefined {
    const opened = this.#opened;
    if (opened === undefined) return undefined;
    const { background } = this.#context.model;
    return background.find((entry) => isSame(entry, opened)) ?? opened;
  }

  get hints(): readonly Hint[] {
    return [["↑↓", "scroll"], this.#end === undefined ? ["g", "top"] : ["f", "follow"]];
  }

  open(task: Entry): void {
    this.#opened = task;
    this.#log = new OutputLog();
    this.#end = undefined;
    this.watch(task.serverId);
  }

  /** The server is there, perhaps again: has it send the output, if it is the one. */
  watch(serverId: string): void {
    const task = this.#opened;
    if (task?.serverId !== serverId) return;
    this.#context.send(serverId, { type: "watch", client: task.client, taskId: task.taskId });
  }

  take(serverId: string, piece: OutputPiece): void {
    const task = this.#opened;
    if (task === undefined || !isSame(task, { ...piece, serverId })) return;
    const gone = this.#log.add(piece);
    if (this.#end === undefined) return;
    // Lines that somebody reads stay in place for as long as they are kept.
    const end = Math.max(this.#end - gone, Math.min(this.#page, this.#log.length));
    this.#end = piece.isFirst || end >= this.#log.length ? undefined : end;
  }

  draw({ columns, rows }: Size): readonly string[] {
    const { look, now, model } = this.#context;
    const task = this.task;
    if (task === undefined) return [];
    const isThere = model.servers.some(({ serverId }) => serverId === task.serverId);
    const command = cutCells(safeLine(task.command), Math.max(0, columns - 9));
    const state = isThere ? longState(task, now()) : "its server has ended";
    const place =
      this.#end === undefined ? "" : ` ${look.signs.dot} line ${this.#end} of ${this.#log.length}`;
    const head = [
      ` ${signOf(task, look)} ${look.bold(`${task.taskId}`)} ${command}`,
      `   ${look.dim(cutCells(state + place, columns - 4))}`,
      "",
    ];
    this.#page = Math.max(1, rows - head.length);
    const end = this.#end ?? this.#log.length;
    const lines = this.#log.rowsBefore(end, columns - 2, this.#page).map((line) => ` ${line}`);
    const nothing = task.state === "running" ? "No output yet." : "No output.";
    return [...head, ...(lines.length > 0 ? lines : [` ${look.dim(nothing)}`])];
  }

  press({ name }: Key): boolean {
    switch (actions.get(name)) {
      case "close":
        return this.#close();
      case "line up":
        return this.#scroll(-1);
      case "line down":
        return this.#scroll(1);
      case "page up":
        return this.#scroll(-this.#page);
      case "page down":
        return this.#scroll(this.#page);
      case "top":
        return this.#scroll(-this.#log.length);
      case "follow":
        this.#end = undefined;
        return true;
      case undefined:
        return false;
    }
  }

  #close(): boolean {
    if (this.#opened !== undefined) this.#context.send(this.#opened.serverId, { type: "unwatch" });
    this.#opened = undefined;
    return true;
  }

  /** Scrolling to the end follows it again. */
  #scroll(lines: number): boolean {
    const { length } = this.#log;
    const end = Math.max((this.#end ?? length) + lines, Math.min(this.#page, length));
    this.#end = end >= length ? undefined : end;
    return true;
  }
}

type TaskName = Pick<Entry, "serverId" | "client" | "taskId">;

function isSame(one: TaskName, other: TaskName): boolean {
  return (
    one.serverId === other.serverId && one.client === other.client && one.taskId === other.taskId
  );
}
