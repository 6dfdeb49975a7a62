/** A stretch of a text: from the character at `start` to that before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a Markdown text is code: fenced blocks and code between backticks, in order, delimiters included. Reads the
 * text once, so a hostile one takes no longer.
 */
export function codeRanges(text: string): readonly Range[] {
  const ranges: Range[] = [];
  let fence: { mark: string; start: number } | undefined;
  let prose = 0;
  let at = 0;
  const endProse = (end: number, next: number): void => {
    ranges.push(...spansIn(text, prose, end));
    prose = next;
  };
  for (const line of text.split("\n")) {
    const next = at + line.length + 1;
    if (fence !== undefined) {
      if (isEnd(line, fence.mark)) {
        ranges.push({ start: fence.start, end: next });
        fence = undefined;
        prose = next;
      }
    } else {
      const mark = openingMark(line);
      if (mark !== undefined) {
        endProse(at, next);
        fence = { mark, start: at };
      } else if (beginsBlock.test(line)) {
        // What is between backticks ends with its paragraph.
        endProse(at, at);
      }
    }
    at = next;
  }
  if (fence !== undefined) ranges.push({ start: fence.start, end: text.length });
  else endProse(text.length, text.length);
  return ranges;
}

/** Before a block there may be marks of lists and quotations. */
const openingFence = /^(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*(`{3,}(?=[^`]*$)|~{3,})/;
const beginsBlock = /^\s*(?:$|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|>|\|)/;

function openingMark(line: string): string | undefined {
  return openingFence.exec(line)?.[1];
}

function isEnd(line: string, mark: string): boolean {
  const [, marks = ""] = /^[ \t>]*(`+|~+)[ \t]*$/.exec(line) ?? [];
  return marks.startsWith(mark);
}

/** Code between two equally long runs of backticks. */
function spansIn(text: string, from: number, to: number): Range[] {
  const runs = [...text.slice(from, to).matchAll(/(?<!\\)`+/g)].map(({ 0: { length }, index }) => ({
    start: from + index,
    length,
  }));
  const laterOf = new Map<number, number>();
  const partners = runs.map(() => -1);
  for (let place = runs.length - 1; place >= 0; place--) {
    const { length } = runs[place] ?? { length: 0 };
    partners[place] = laterOf.get(length) ?? -1;
    laterOf.set(length, place);
  }
  const ranges: Range[] = [];
  for (let place = 0; place < runs.length; place++) {
    const closing = runs[partners[place] ?? -1];
    const opening = runs[place];
    if (closing === undefined || opening === undefined) continue;
    ranges.push({ start: opening.start, end: closing.start + closing.length });
    place = partners[place] ?? place;
  }
  return ranges;
}
