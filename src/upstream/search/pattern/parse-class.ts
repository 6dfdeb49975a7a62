import { anyOf, classEscapes, rangeSet, unitEscapes, type CharSet } from "./char-set.ts";
import { PatternError } from "./pattern-node.ts";
import type { PatternReader } from "./pattern-reader.ts";

/**
 * What follows a `[`, its `]` included.
 * @param fold makes it take letters in either case, where that is wanted; before it is negated
 * @throws PatternError
 */
export function readClass(reader: PatternReader, fold: (set: CharSet) => CharSet): CharSet {
  const isNegated = reader.take("^");
  const sets: CharSet[] = [];
  while (!reader.take("]")) {
    const from = readMember(reader);
    if (typeof from !== "string") {
      sets.push(from);
      continue;
    }
    const first = from.charCodeAt(0);
    if (!reader.isAt("-") || reader.isAt("-]")) {
      sets.push(rangeSet(first, first));
      continue;
    }
    reader.take("-");
    const to = readMember(reader);
    const last = typeof to === "string" ? to.charCodeAt(0) : -1;
    if (last < first) throw new PatternError(`has a range in [ ] that ends before it begins`);
    sets.push(rangeSet(first, last));
  }
  return anyOf([fold(anyOf(sets, false))], isNegated);
}

/** What follows a backslash: a class, or one character. @throws PatternError */
export function readEscape(reader: PatternReader): CharSet | string {
  const code = reader.takeMatch(/u([\da-f]{4})|x([\da-f]{2})/iy);
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? "", 16));
  const letter = reader.next();
  if (/[1-9k]/.test(letter)) throw new PatternError("refers back, which is not supported");
  const known = classEscapes.get(letter) ?? unitEscapes.get(letter);
  if (known !== undefined) return known;
  if (/[a-z]/i.test(letter)) throw new PatternError(`has \\${letter}, which is not supported`);
  return letter;
}

function readMember(reader: PatternReader): CharSet | string {
  if (reader.isAtEnd) throw new PatternError("has a `[` that is not closed");
  if (!reader.take("\\")) return reader.next();
  return reader.take("b") ? "\b" : readEscape(reader);
}
