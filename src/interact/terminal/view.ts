import type { TerminalMessage } from "../attach/messages.ts";
import type { AttachModel } from "./attach-model.ts";
import type { Key } from "./keys.ts";
import type { Look } from "./look.ts";

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
