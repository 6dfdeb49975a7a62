/** A place in a text; both count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The line and column of `offset`. */
export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - before.lastIndexOf("\n") };
}
