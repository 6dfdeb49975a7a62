import { AppError } from "../../base/errors.ts";
/** A part of a text, by offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The replacement of a part of a text; an empty part is an insertion. */
export interface TextEdit extends Span {
  readonly text: string;
}

/** The text with edits that do not overlap; two insertions at one place keep their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const ordered = edits.toSorted((one, other) => one.start - other.start || one.end - other.end);
  let from = 0;
  let result = "";
  for (const edit of ordered) {
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from);
}

export function removal(start: number, end: number): TextEdit {
  return { start, end, text: "" };
}

function insertion(at: number, text: string): TextEdit {
  return { start: at, end: at, text };
}

/** The line end that the text uses, by its first one. */
export function lineEndOf(text: string): "\n" | "\r\n" {
  const at = text.indexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** Offset of the first character of the line that `at` is in. */
export function lineStartOf(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

/** Offset after the line end of the line that `at` is in. */
export function nextLineOf(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline === -1 ? text.length : newline + 1;
}

/** The most parts of one entry that are removed one by one, each with a scan of the whole text; files have a few. */
export const editPassesMax = 200;

/** The error for an entry with too many parts to remove in reasonable time. */
export function tooOften(name: string): AppError {
  return new AppError("config", `has ${name} in more than ${editPassesMax} places`);
}

/** Elements between two brackets, separated by commas: in JSON, or in an inline table of TOML. */
export interface ElementList {
  /** Offset after the opening bracket. */
  readonly open: number;
  /** Offset of the closing bracket. */
  readonly close: number;
  readonly elements: readonly ListElement[];
}

interface ListElement extends Span {
  /** Offset of the comma after it. */
  readonly comma?: number;
}

interface NewElement {
  readonly text: string;
  /** The text between it and the element before: one blank, or a line end and the indentation. */
  readonly separator: string;
  /** True: it begins after a comment that ends the line of the last element. */
  readonly isOnOwnLine: boolean;
}

/**
 * Adds an element after the last one. `removeElement` undoes it character by character, including a comma after the
 * last element.
 */
export function appendElement(
  text: string,
  list: ElementList,
  { text: element, separator, isOnOwnLine }: NewElement,
): readonly TextEdit[] {
  const last = list.elements.at(-1);
  if (last === undefined) {
    const isEmpty = list.open === list.close;
    return [insertion(list.open, isEmpty ? element : separator + element)];
  }
  const { comma } = last;
  const after = comma === undefined ? last.end : comma + 1;
  const at = isOnOwnLine ? lineTailOf(text, after) : after;
  const added = insertion(at, separator + element + (comma === undefined ? "" : ","));
  if (comma !== undefined) return [added];
  if (at === last.end) return [{ ...added, text: `,${added.text}` }];
  return [insertion(last.end, ","), added];
}

/** Removes an element with the comma that is no longer needed. */
export function removeElement(text: string, list: ElementList, index: number): readonly TextEdit[] {
  const element = list.elements[index];
  if (element === undefined) return [];
  const next = list.elements[index + 1];
  if (next !== undefined) return [removal(element.start, next.start)];
  const start = separatorStart(text, list, index);
  const { comma } = element;
  if (comma !== undefined) {
    return [removal(start, element.end), removal(comma, comma + 1)];
  }
  const before = list.elements[index - 1]?.comma;
  const own = removal(start, element.end);
  return before === undefined ? [own] : [removal(before, before + 1), own];
}

/** Offset after blanks and comments when only these follow on the line of `at`; else `at`. */
function lineTailOf(text: string, at: number): number {
  const tail = /^(?:[ \t]|\/\*(?:(?!\*\/)[^\n])*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n)/.exec(
    text.slice(at),
  );
  return at + (tail?.[0].length ?? 0);
}

function separatorStart(text: string, list: ElementList, index: number): number {
  const { start, end } = list.elements[index] ?? { start: 0, end: 0 };
  const before = list.elements[index - 1];
  // White space and comments only.
  const trivia = text.slice((before?.comma ?? before?.end ?? list.open - 1) + 1, start);
  const line = /\r?\n[ \t]*$/.exec(trivia)?.[0];
  if (line === undefined) return trivia.endsWith(" ") ? start - 1 : start;
  const above = trivia.slice(0, -line.length);
  const hasComment = /\/\/|#/.test(above.slice(above.lastIndexOf("\n") + 1));
  // The rest of this line would become part of the comment.
  const isFollowed = !/^\s*,?[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + 200));
  return hasComment && isFollowed ? start : start - line.length;
}
