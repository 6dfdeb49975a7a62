import { insertion, removal, type Span, type TextEdit } from "./text-edit.ts";

/** What stands between two brackets, with commas: of JSON, or an inline table of TOML. */
export interface ElementList {
  /** Offset after the opening bracket. */
  readonly open: number;
  /** Offset of the closing bracket. */
  readonly close: number;
  readonly elements: readonly ListElement[];
}

interface ListElement extends Span {
  /** Offset of the comma behind it. */
  readonly comma?: number;
}

export interface NewElement {
  readonly text: string;
  /** What stands between it and what is before it: one blank, or a line end and the indentation. */
  readonly separator: string;
  /** True: it begins after a comment that ends the line of the last element. */
  readonly isOnOwnLine: boolean;
}

/**
 * Puts an element behind the last one. `removeElement` of it gives back every character that was there, a comma
 * behind the last element included.
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

/** Takes out an element with the comma that it no longer needs. */
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

/** After blanks and comments, when these end the line of `at`; else `at`. */
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
  // What follows on this line would become part of the comment.
  const isFollowed = !/^\s*,?[ \t]*(?:\r?\n|$)/.test(text.slice(end, end + 200));
  return hasComment && isFollowed ? start : start - line.length;
}
