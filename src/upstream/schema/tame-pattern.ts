import { schemaPatternCharsMax } from "../../base/limits.ts";

/** Repetitions without an end; each more multiplies the work by the length of the text. */
const repetitionsMax = 2;

/**
 * Whether a regular expression of another server takes little time on any text of some thousand characters: no repeated
 * group that repeats or chooses inside, no look-around, no back reference. What is not tame is not used: the server checks
 * its arguments itself.
 */
export function isTamePattern(pattern: string): boolean {
  if (pattern.length > schemaPatternCharsMax) return false;
  const plain = withoutClasses(pattern);
  if (/\(\?(?!:)|\\[1-9k]/.test(plain)) return false;
  // A group is seen from inside out: what it had inside stays known by its mark.
  let rest = plain;
  for (;;) {
    const group = /\((?:\?:)?([^()]*)\)([*+?]|\{\d*,?\d*\})?/.exec(rest);
    if (group === null) break;
    const [whole, inner = "", quantifier] = group;
    const repeats = quantifier !== undefined && quantifier !== "?";
    if (repeats && /[*+{|?]/.test(inner)) return false;
    rest = rest.replace(whole, () => inner.replaceAll("|", "/") + (repeats ? "+" : ""));
  }
  return (rest.match(/[*+]|\{\d*,\}/g)?.length ?? 0) <= repetitionsMax && isValid(pattern);
}

/** Escapes and classes stand for one character. */
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
