import { codeRanges, type Range } from "./code-ranges.ts";

/** The placeholder of an argument in a skill. */
export interface Placeholder {
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
export function placeholdersIn(text: string, names: readonly string[]): readonly Placeholder[] {
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
