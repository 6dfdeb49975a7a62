import { cutCells, type Look, safeLine, widthOf } from "./cells.ts";
import type { Hint, Size, View } from "./view.ts";

export interface FrameParts {
  readonly views: readonly View[];
  readonly active: View;
  /** Instead of the view. */
  readonly help: readonly string[] | undefined;
  /** A question that wants `y` or `n`. */
  readonly confirmation: string | undefined;
  readonly notice: string | undefined;
}

/** Below these nothing can be read. */
const columnsMin = 20;
const rowsMin = 4;
/** A window of fewer rows is too low for a line between the tabs and the view. */
const rowsForRule = 9;

const commonHints: readonly Hint[] = [
  ["tab", "next view"],
  ["?", "help"],
  ["q", "quit"],
];

/** All rows of the window: the tabs, the view, the keys. */
export function drawFrame(parts: FrameParts, size: Size, look: Look): string[] {
  const { columns, rows } = size;
  if (columns < columnsMin || rows < rowsMin) {
    return padRows([cutCells("Too small", columns)], rows);
  }
  const head = [drawTabs(parts, columns, look)];
  if (rows >= rowsForRule) head.push(look.dim(look.signs.rule.repeat(columns)));
  const bodyRows = rows - head.length - 1;
  const body = parts.help ?? parts.active.draw({ columns, rows: bodyRows });
  const lines = padRows(body.slice(0, bodyRows), bodyRows);
  return [...head, ...lines, drawBottom(parts, columns, look)];
}

function drawTabs({ views, active }: FrameParts, columns: number, look: Look): string {
  const labels = views.map(({ title, count }) => ` ${title}${count > 0 ? ` ${count}` : ""} `);
  if (labels.join(" ").length + 1 <= columns) {
    const tabs = views.map((view, index) => {
      const label = labels[index] ?? "";
      if (view === active) return look.reverse(look.bold(label));
      return view.count > 0 && index === 0 ? look.warning(label) : look.dim(label);
    });
    return ` ${tabs.join(" ")}`;
  }
  const at = views.indexOf(active);
  const [questions] = views;
  const waiting = at !== 0 && questions !== undefined && questions.count > 0;
  const rest = `${at + 1}/${views.length}${waiting ? `  ${questions.count}?` : ""}`;
  const label = cutCells(labels[at] ?? "", columns - rest.length - 3);
  return ` ${look.reverse(look.bold(label))} ${waiting ? look.warning(rest) : look.dim(rest)}`;
}

function drawBottom(parts: FrameParts, columns: number, look: Look): string {
  const { confirmation, notice, active, help } = parts;
  if (confirmation !== undefined) {
    const keys = "  y yes  n no";
    const question = cutCells(safeLine(confirmation), columns - keys.length - 2);
    return ` ${look.warning(question)}${look.dim(keys)}`;
  }
  if (notice !== undefined) return ` ${cutCells(safeLine(notice), columns - 2)}`;
  if (help !== undefined) return ` ${look.dim("any key goes back")}`;
  return drawHints([...active.hints, ...(active.isWriting ? [] : commonHints)], columns, look);
}

/** As many as have room; the help has them all. */
function drawHints(hints: readonly Hint[], columns: number, look: Look): string {
  let line = "";
  let used = 1;
  for (const [key, meaning] of hints) {
    used += widthOf(key) + widthOf(meaning) + 4;
    if (used > columns) break;
    line += ` ${look.bold(key)} ${look.dim(meaning)}  `;
  }
  return line.trimEnd();
}

function padRows(lines: readonly string[], rows: number): string[] {
  return [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => "")];
}

/** Frames at most this often; faster is not seen. */
const frameMs = 16;
/** How often running times are redrawn. */
const clockMs = 1_000;

/** Says when to paint: soon after something has changed, and every second. */
export class FrameClock {
  readonly #paint: () => void;
  #frame: ReturnType<typeof setTimeout> | undefined;
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(paint: () => void) {
    this.#paint = paint;
  }

  start(): void {
    this.paintNow();
    this.#clock = setInterval(() => this.paintSoon(), clockMs);
  }

  stop(): void {
    clearInterval(this.#clock);
    clearTimeout(this.#frame);
    this.#clock = undefined;
    this.#frame = undefined;
  }

  paintSoon(): void {
    if (this.#clock !== undefined) this.#frame ??= setTimeout(() => this.paintNow(), frameMs);
  }

  paintNow(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    this.#paint();
  }
}

const sections: readonly (readonly [string, readonly Hint[]])[] = [
  [
    "Everywhere",
    [
      ["tab, shift-tab, 1-5", "another view"],
      ["ctrl-z", "suspend; questions go elsewhere meanwhile"],
      ["q, ctrl-c", "quit; servers and tasks go on"],
    ],
  ],
  [
    "Questions",
    [
      ["up, down, j, k", "move"],
      ["page up, page down", "scroll the text"],
      ["enter", "choose, and go on"],
      ["space", "choose without going on; several where it is allowed"],
      ["left, right", "another question of the same"],
      ["n, p", "another one that waits"],
      ["d", "decline"],
      ["esc", "cancel"],
    ],
  ],
  [
    "Background tasks and callbacks",
    [
      ["enter", "output of a task"],
      ["g, f", "top of the output, follow its end"],
      ["x", "kill the task, cancel the callback"],
    ],
  ],
];

/** Cells of the column of keys. */
const keyCells = 22;

/** Every key and its action. */
export function drawHelp(columns: number, look: Look): string[] {
  const room = Math.max(1, columns - keyCells - 5);
  return sections.flatMap(([title, hints]) => [
    ` ${look.bold(cutCells(title, columns - 2))}`,
    ...hints.map(([key, meaning]) => {
      if (room < keyCells) return `  ${cutCells(`${key}: ${meaning}`, columns - 3)}`;
      return `   ${key.padEnd(keyCells)} ${look.dim(cutCells(meaning, room))}`;
    }),
    "",
  ]);
}
