import { AppError } from "../../base/errors.ts";
import { skillFilledCharsMax } from "../../base/limits.ts";

/** A text that numbers its words from 0 has a digit for ten of them. */
const wordsMax = 10;

/**
 * The text of a skill with its arguments: `$ARGUMENTS` is all of them as written, at any place; `$1` to `$9` are the
 * words of them. In code `$1` is mostly a field of awk or an argument of a script, so there it is filled in only when
 * the skill nowhere uses `$ARGUMENTS` or names its arguments. The inserted text is not looked at again, so an argument
 * cannot bring in placeholders. When nothing could be filled in, the arguments become the last line.
 * @param given null or blank: none; the text stays as it is
 * @param names of the skill's positional arguments, in their order: `$file` is then filled in, too
 * @throws AppError `limit` when that makes more than `skillFilledCharsMax` characters
 */
export function fillArguments(
  body: string,
  given: string | null,
  names: readonly string[] = [],
): string {
  const all = given?.trim() ?? "";
  const budget = new Budget(body.length + all.length);
  if (all === "") return body;
  const words = splitWords(all, Math.max(wordsMax, names.length));
  const marks = placeholdersIn(body, names);
  const fillsCode =
    names.length > 0 || !marks.some(({ kind }) => kind === "all" || kind === "indexed");
  // In prose `$0` can only be the first word: such a skill numbers them from 0, as Claude Code does.
  const first = marks.some(
    ({ kind, number, isCode }) => kind === "digit" && number === 0 && !isCode,
  )
    ? 0
    : 1;

  /** A word that was not given keeps its placeholder, which shows that it is missing. */
  function textFor({ kind, number, isCode }: Placeholder): string | undefined {
    if (kind === "all") return all;
    if (kind !== "digit") return words[number];
    return number < first || (isCode && !fillsCode) ? undefined : words[number - first];
  }

  let filled = "";
  let done = 0;
  for (const mark of marks) {
    const text = textFor(mark);
    if (text === undefined) continue;
    budget.take(text.length);
    filled += body.slice(done, mark.start) + text;
    done = mark.end;
  }
  if (done === 0) return `${body.trimEnd()}\n\nARGUMENTS: ${all}\n`;
  return filled + body.slice(done);
}

/** A text of few lines and long arguments would make one of gigabytes. */
class Budget {
  #left = skillFilledCharsMax;

  constructor(taken: number) {
    this.take(taken);
  }

  take(chars: number): void {
    this.#left -= chars;
    if (this.#left >= 0) return;
    throw new AppError(
      "limit",
      `With its arguments filled in, the skill has more than ${skillFilledCharsMax} characters. Pass shorter arguments, or the path of a file that contains them.`,
    );
  }
}

/** The placeholder of an argument in a skill. */
interface Placeholder {
  readonly start: number;
  readonly end: number;
  readonly isCode: boolean;
  /** `$ARGUMENTS`, `$ARGUMENTS[0]`, `$1`, or a name of the skill's own. */
  readonly kind: "all" | "indexed" | "digit" | "named";
  /** The text of the placeholder, or the position of the name. */
  readonly number: number;
}

/**
 * The placeholders of a text, in order. Not placeholders: one behind a backslash, `$$1`, which is the `$1` of a
 * Makefile's shell, and amounts of money: `$10`, `$1.50`.
 * @param names the skill's own
 */
function placeholdersIn(text: string, names: readonly string[]): readonly Placeholder[] {
  const longestFirst = names.toSorted((one, other) => other.length - one.length);
  const named = longestFirst.length === 0 ? "" : String.raw`|(${longestFirst.join("|")})(?!\w)`;
  const written = new RegExp(
    String.raw`(?<!\\)\$(?:(ARGUMENTS)\b(?:\[(\d{1,3})\])?|(?<!\$\$)(\d)(?!\w|[.,]\d)${named})`,
    "g",
  );
  const isCode = testOf(codeRanges(text));
  const isProgram = testOf(programsIn(text));
  return [...text.matchAll(written)].flatMap((match): Placeholder[] => {
    const [{ length }, all, index, digit, name = ""] = match;
    const place = { start: match.index, end: match.index + length, isCode: isCode(match.index) };
    if (digit !== undefined) {
      const isField = place.isCode && isProgram(match.index);
      return isField ? [] : [{ ...place, kind: "digit", number: Number(digit) }];
    }
    if (all === undefined) return [{ ...place, kind: "named", number: names.indexOf(name) }];
    if (index !== undefined) return [{ ...place, kind: "indexed", number: Number(index) }];
    return [{ ...place, kind: "all", number: 0 }];
  });
}

/** Programs of awk and Perl between single quotes, where `$1` is a field or a group whatever the skill takes. */
function programsIn(text: string): readonly Range[] {
  const program = /\b(?:[gmn]?awk|perl)\b[^'\n]{0,80}'[^']*'/g;
  return [...text.matchAll(program)].map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
}

/** Whether a place is in one of `ranges`; both come in order. */
function testOf(ranges: readonly Range[]): (place: number) => boolean {
  let next = 0;
  return (place) => {
    while ((ranges[next]?.end ?? Infinity) <= place) next += 1;
    return (ranges[next]?.start ?? Infinity) <= place;
  };
}

/** A stretch of a text: from the character at `start` to that before `end`. */
interface Range {
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
        // Text between backticks ends with its paragraph.
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

/**
 * The words of a text as a shell would see them: blanks separate, quotes and backslashes join. Nothing is expanded or run;
 * a quote that is not closed lasts to the end.
 * @param wordsMax words after these are not looked for
 */
export function splitWords(text: string, wordsMax = Infinity): string[] {
  const words: string[] = [];
  const word = /(?:[^\s"'\\]|\\[^]?|"(?:[^"\\]|\\[^]?)*(?:"|$)|'[^']*(?:'|$))+/g;
  for (const [written] of text.matchAll(word)) {
    words.push(withoutQuotes(written));
    if (words.length >= wordsMax) break;
  }
  return words;
}

function withoutQuotes(written: string): string {
  const part = /"((?:[^"\\]|\\[^]?)*)(?:"|$)|'([^']*)(?:'|$)|\\([^]?)|([^"'\\]+)/g;
  return written.replaceAll(
    part,
    (_, double?: string, single?: string, escaped?: string, plain?: string) =>
      double?.replaceAll(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? plain ?? "",
  );
}
