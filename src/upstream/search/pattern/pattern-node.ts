/** The characters (UTF-16 units) that an element of a pattern accepts. */
export type CharSet = (unit: number) => boolean;

const isDigit: CharSet = (unit) => unit >= 48 && unit <= 57;

export const isWordUnit: CharSet = (unit) =>
  isDigit(unit) || unit === 95 || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);

const isSpace: CharSet = (unit) => /\s/.test(String.fromCharCode(unit));

const not =
  (set: CharSet): CharSet =>
  (unit) =>
    !set(unit);

/** Escapes that are classes, by their letter. */
export const classEscapes: ReadonlyMap<string, CharSet> = new Map([
  ["d", isDigit],
  ["D", not(isDigit)],
  ["w", isWordUnit],
  ["W", not(isWordUnit)],
  ["s", isSpace],
  ["S", not(isSpace)],
]);

/** Escapes that are one character, by their letter. */
export const unitEscapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["f", "\f"],
  ["v", "\v"],
  ["0", "\0"],
]);

export function rangeSet(from: number, to: number): CharSet {
  return (unit) => unit >= from && unit <= to;
}

export function anyOf(sets: readonly CharSet[], isNegated: boolean): CharSet {
  const has: CharSet = (unit) => sets.some((set) => set(unit));
  return isNegated ? not(has) : has;
}

/** A case-insensitive version of the set. */
export function inEitherCase(set: CharSet): CharSet {
  return (unit) => {
    if (set(unit)) return true;
    const letter = String.fromCharCode(unit);
    return set(letter.toLowerCase().charCodeAt(0)) || set(letter.toUpperCase().charCodeAt(0));
  };
}

export type Assertion = "start" | "end" | "border" | "no-border";

/** A parsed regular expression. */
export type PatternNode =
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly nodes: readonly PatternNode[] }
  | {
      readonly kind: "repeat";
      readonly node: PatternNode;
      readonly min: number;
      /** Infinity: unbounded. */
      readonly max: number;
    };

/** Why a pattern cannot be used, as the end of a sentence. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}
