import { resultNotesCharsMax } from "./limits.ts";

/** Characters for the body of a result of `resultCharsMax`: the rest is for the notes about it. */
export function bodyCharsMax(resultCharsMax: number): number {
  return Math.max(Math.floor(resultCharsMax / 2), resultCharsMax - resultNotesCharsMax);
}

/** Text that is too long to show whole: its two ends, and the size of the rest. */
export interface CutText {
  readonly head: string;
  readonly tail: string;
  /** Characters between `head` and `tail`. */
  readonly omittedChars: number;
}

/**
 * Cuts `text` to about `charsMax` characters, half from each end, at line borders where one is near.
 * Returns undefined when it fits.
 */
export function cutText(text: string, charsMax: number): CutText | undefined {
  if (text.length <= charsMax) return undefined;
  const half = Math.floor(charsMax / 2);
  const head = trimToLineEnd(text.slice(0, half));
  const tail = trimToLineStart(text.slice(text.length - half));
  return { head, tail, omittedChars: text.length - head.length - tail.length };
}

/** A text, such as a command, on one line of at most `charsMax` characters. */
export function oneLine(text: string, charsMax = 100): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= charsMax ? line : `${line.slice(0, charsMax - 1)}…`.toWellFormed();
}

/** A text, cut to `charsMax` characters where it is longer. */
export function cutEnd(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`.toWellFormed();
}

/** Drops what follows the last newline, when that costs less than half of the text. */
function trimToLineEnd(text: string): string {
  const newline = text.lastIndexOf("\n");
  if (newline >= text.length / 2) return text.slice(0, newline + 1);
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

/** Drops what precedes the first newline, when that costs less than half of the text. */
function trimToLineStart(text: string): string {
  const newline = text.indexOf("\n");
  if (newline !== -1 && newline < text.length / 2) return text.slice(newline + 1);
  return isLowSurrogate(text.charCodeAt(0)) ? text.slice(1) : text;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** A number for people: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** A number of things for people: `1 task`, `12,345 tasks`. */
export function formatAmount(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A duration for people: `450 ms`, `12.3 s`, `4 min 10 s`, `3 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** How much of something is not shown. */
interface LeftOut {
  readonly amount: number;
  /** The whole, of which `amount` is left out. */
  readonly total: number;
  readonly unit: "bytes" | "characters";
}

/** Where the whole of something that was cut is. */
interface Whole {
  readonly path: string;
  /** Why the file does not hold everything; absent or null when it does. */
  readonly problem?: string | null;
  /** The background task by which it is read on. */
  readonly taskId?: number | undefined;
  /** Its resource. A link beside the text has it too, which several clients do not show their model. */
  readonly uri?: string | undefined;
}

/** The line between the two ends of something that was cut: how much is missing, and every way to it. */
export function cutLine({ amount, total, unit }: LeftOut, whole: Whole | undefined): string {
  const missing = `${formatCount(amount)} of ${formatCount(total)} ${unit} are left out here`;
  if (whole === undefined)
    return `[... ${missing}; the whole could not be saved: ask for less ...]`;
  const { path, problem, taskId, uri } = whole;
  const way =
    taskId === undefined ? "The" : `ReadBgOutput with task_id ${taskId} reads on from here; the`;
  const fault = typeof problem === "string" ? ` (${problem})` : "";
  const resource = uri === undefined ? "" : ` and can be read as ${uri}`;
  return `[... ${missing}. ${way} whole output is in ${path}${fault}${resource} ...]`;
}
