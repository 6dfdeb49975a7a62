import type { TerminalMessage } from "../attach/messages.ts";
import type { AttachModel } from "./attach-model.ts";
import type { Key } from "./keys.ts";
import type { Look } from "./cells.ts";

/** The parts of the application that a view may use. */
export interface ViewContext {
  readonly model: AttachModel;
  readonly look: Look;
  readonly send: (serverId: string, message: TerminalMessage) => void;
  /** Sends a request that is answered by its number; a failure is shown in the bottom line. */
  readonly request: (serverId: string, message: (request: number) => TerminalMessage) => void;
  /** Asks in the bottom line; anything but `y` is no. */
  readonly confirm: (question: string, onYes: () => void) => void;
  /** Says something in the bottom line until the next key. */
  readonly notice: (text: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A key and its action here. */
export type Hint = readonly [key: string, meaning: string];

/** One of the pages between which Tab switches. */
export interface View {
  readonly title: string;
  /** The number behind the tab's title; 0 shows nothing. */
  readonly count: number;
  readonly hints: readonly Hint[];
  /** Somebody writes: keys are text, and nothing else comes to the front. */
  readonly isWriting: boolean;
  /** Styled lines, `rows` at most, each of `columns` cells at most. */
  draw(size: Size): readonly string[];
  /** False when the key means nothing here. */
  press(key: Key): boolean;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Terminals that know it show a frame as a whole; the others ignore it. */
const beginFrame = "\u001b[?2026h";
const endFrame = "\u001b[?2026l";

/** Draws frames: what has changed since the last one, in one write. */
export class Painter {
  readonly #write: (text: string) => void;
  #shown: readonly string[] = [];

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Forgets the drawn frame: after a resize, or when another program had the terminal. */
  forget(): void {
    this.#shown = [];
  }

  /** @param lines one for each row of the terminal; styled, and no wider than it */
  paint(lines: readonly string[]): void {
    const isFirst = this.#shown.length !== lines.length;
    const changed = lines
      .map((line, row) => ({ line, row }))
      .filter(({ line, row }) => isFirst || line !== this.#shown[row]);
    this.#shown = lines;
    if (changed.length === 0) return;
    // Erased before it is written: behind a full row the erasing would take its last cell.
    const rows = changed.map(({ line, row }) => `\u001b[${row + 1};1H\u001b[2K${line}\u001b[0m`);
    this.#write(`${beginFrame}${isFirst ? "\u001b[2J" : ""}${rows.join("")}${endFrame}`);
  }
}

/** A time that passes, in whole seconds, so that it does not flicker: `12 s`, `4 min 10 s`, `3 h 5 min`. */
export function passingTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Which row of a list is chosen, and which rows are in the window. It stays with its row when the list changes. */
export class Selection<Row> {
  readonly #nameOf: (row: Row) => string;
  #name: string | undefined;
  #index = 0;
  #top = 0;
  #page = 1;

  /** @param nameOf what tells a row from all others */
  constructor(nameOf: (row: Row) => string) {
    this.#nameOf = nameOf;
  }

  /** The chosen row; the one in its place when it is gone. */
  chosen(rows: readonly Row[]): Row | undefined {
    return rows[this.#place(rows)];
  }

  /** The rows of the window as a range; the chosen one is among them. */
  window(rows: readonly Row[], height: number): { readonly from: number; readonly to: number } {
    this.#page = Math.max(1, height);
    const index = this.#place(rows);
    this.#top = Math.min(this.#top, index, Math.max(0, rows.length - height));
    this.#top = Math.max(this.#top, index - height + 1, 0);
    return { from: this.#top, to: Math.min(rows.length, this.#top + height) };
  }

  /** False when the key does not move a selection. */
  press(key: Key, rows: readonly Row[]): boolean {
    const step = stepOfKey(key.name, this.#page, rows.length);
    if (step === undefined) return false;
    this.#choose(rows, this.#place(rows) + step);
    return true;
  }

  /** Where the chosen row is now. */
  #place(rows: readonly Row[]): number {
    const found = rows.findIndex((row) => this.#nameOf(row) === this.#name);
    this.#choose(rows, found === -1 ? this.#index : found);
    return this.#index;
  }

  #choose(rows: readonly Row[], index: number): void {
    this.#index = Math.min(Math.max(0, index), Math.max(0, rows.length - 1));
    const row = rows[this.#index];
    this.#name = row === undefined ? undefined : this.#nameOf(row);
  }
}

/**
 * How many rows a key moves up (negative) or down; undefined for keys that do not move.
 * @param pageRows rows of the window
 * @param countRows at least as many as there are: so far the ends are
 */
function stepOfKey(name: string, pageRows: number, countRows: number): number | undefined {
  switch (name) {
    case "up":
    case "k":
      return -1;
    case "down":
    case "j":
      return 1;
    case "pageup":
      return -pageRows;
    case "pagedown":
      return pageRows;
    case "home":
    case "g":
      return -countRows;
    case "end":
    case "G":
      return countRows;
    default:
      return undefined;
  }
}

/** A text that is longer than its window. */
export class ScrollText {
  #top = 0;
  #page = 1;

  /** The lines of the window. */
  window(lines: readonly string[], height: number): readonly string[] {
    this.#page = Math.max(1, height);
    this.#top = Math.min(this.#top, Math.max(0, lines.length - height));
    return lines.slice(this.#top, this.#top + height);
  }

  /** False when the key does not scroll. */
  press({ name }: Key): boolean {
    const step = stepOfKey(name === " " ? "pagedown" : name, this.#page, Number.MAX_SAFE_INTEGER);
    if (step === undefined) return false;
    this.#top = Math.max(0, this.#top + step);
    return true;
  }
}

/** A list of which one row is chosen: as much of it as has room. */
export function drawRows<Row>(
  rows: readonly Row[],
  selection: Selection<Row>,
  size: Size,
  look: Look,
  draw: (row: Row, width: number, isChosen: boolean) => string,
): string[] {
  const { from, to } = selection.window(rows, size.rows);
  const chosen = selection.chosen(rows);
  return rows.slice(from, to).map((row) => {
    const isChosen = row === chosen;
    const pointer = isChosen ? look.accent(look.signs.pointer) : " ";
    return ` ${pointer} ${draw(row, size.columns - 4, isChosen)}`;
  });
}
