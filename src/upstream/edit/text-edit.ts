/** A part of a text, by offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What is to stand in the place of a part; an empty part is an insertion. */
export interface TextEdit extends Span {
  readonly text: string;
}

/** The text with edits that do not overlap; of two insertions at one place the first one comes first. */
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

export function insertion(at: number, text: string): TextEdit {
  return { start: at, end: at, text };
}

/** How this text ends its lines, by its first line end. */
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
