import { schemaCheckedTextCharsMax, schemaPatternCharsMax } from "../../base/upstream-limits.ts";

/** The most ways in which a tame pattern can match a text: those of two endless repetitions. */
const waysMax = schemaCheckedTextCharsMax ** 2;

/**
 * Whether a regular expression of an upstream server takes little time on any text: each choice, each optional part and
 * each repetition multiplies the ways that are tried, and without `^` so does each start position. Look-around and back
 * references are not tame. Other patterns are not used: the server checks its arguments itself.
 */
export function isTamePattern(pattern: string): boolean {
  if (pattern.length > schemaPatternCharsMax) return false;
  const plain = withoutClasses(pattern);
  if (/\(\?(?!:)|\\[1-9k]/.test(plain)) return false;
  const { ways, choices } = new WaysReader(plain).choice();
  const isAnchored = plain.startsWith("^") && choices === 1;
  const starts = isAnchored ? 1 : schemaCheckedTextCharsMax;
  return ways * starts <= waysMax && isValid(pattern);
}

/** Counts the ways of a pattern in which escapes and classes are single characters. */
class WaysReader {
  readonly #rest: readonly string[];
  #at = 0;

  constructor(plain: string) {
    this.#rest = plain.match(/\{\d+(?:,\d*)?\}|\((?:\?:)?|[^]/g) ?? [];
  }

  /** Reads up to the end of the group. */
  choice(): { readonly ways: number; readonly choices: number } {
    let ways = this.#sequence();
    let choices = 1;
    while (this.#rest[this.#at] === "|") {
      this.#at++;
      choices++;
      ways += this.#sequence();
    }
    return { ways, choices };
  }

  #sequence(): number {
    let ways = 1;
    for (let next = this.#rest[this.#at]; next !== undefined; next = this.#rest[this.#at]) {
      if (next === "|" || next === ")") break;
      this.#at++;
      ways *= repeated(next.startsWith("(") ? this.#group() : 1, this.#quantifier());
    }
    return ways;
  }

  #group(): number {
    const { ways } = this.choice();
    this.#at++;
    return ways;
  }

  #quantifier(): string {
    const next = this.#rest[this.#at] ?? "";
    if (!/^(?:[*+?]|\{\d.*)$/.test(next)) return "";
    this.#at++;
    if (this.#rest[this.#at] === "?") this.#at++;
    return next;
  }
}

function repeated(ways: number, quantifier: string): number {
  if (quantifier === "") return ways;
  if (quantifier === "?") return ways + 1;
  const [, from, comma, to] = /^\{(\d+)(,?)(\d*)\}$/.exec(quantifier) ?? [];
  const isEndless = from === undefined || (comma !== "" && to === "");
  // An ambiguous part is ambiguous in each repetition.
  if (isEndless) return ways === 1 ? schemaCheckedTextCharsMax : Infinity;
  const max = comma === "" ? Number(from) : Number(to);
  return ways ** max * (max - Number(from) + 1);
}

/** Replaces escapes and classes by one character each. */
function withoutClasses(pattern: string): string {
  return pattern.replaceAll(/\\(?![1-9k])[^]/g, "x").replaceAll(/\[[^\]]*\]/g, "x");
}

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").unicode;
  } catch {
    return false;
  }
}
