import { nearestToolsMax } from "../../base/upstream-limits.ts";

/** Characters of a name that are compared: clients refuse names above 128. */
const nameCharsMax = 128;
/** Names that are less alike do not help. */
const likenessMin = 0.2;

/**
 * The names that are most like `wanted`, at most `nearestToolsMax`, the nearest first; equal ones by name. By pairs of
 * neighbouring letters: among 4,000 names this takes a millisecond or two, an edit distance a hundred.
 *
 * @param leastLikeness from 0, which all names have, to 1
 */
export function nearestTools(
  wanted: string,
  names: readonly string[],
  leastLikeness = likenessMin,
): readonly string[] {
  const pairs = pairsOf(wanted);
  const near = names
    .map((name) => ({ name, likeness: likenessTo(pairs, name) }))
    .filter(({ likeness }) => likeness >= leastLikeness);
  near.sort((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1));
  return near.slice(0, nearestToolsMax).map(({ name }) => name);
}

/** The pairs of letters in a name, one byte each; letters beyond ASCII share places, which does no harm here. */
interface Pairs {
  readonly has: Uint8Array;
  readonly count: number;
}

function pairsOf(name: string): Pairs {
  const has = new Uint8Array(1 << 14);
  let count = 0;
  eachPair(name, (pair) => {
    has[pair] = 1;
    count += 1;
  });
  return { has, count };
}

/** Dice's coefficient, 0 to 1. */
function likenessTo(pairs: Pairs, name: string): number {
  let shared = 0;
  let count = 0;
  eachPair(name, (pair) => {
    count += 1;
    shared += pairs.has[pair] ?? 0;
  });
  return count === 0 ? 0 : (2 * shared) / (count + pairs.count);
}

/**
 * Visits the pairs of a name without its common `mcp__`; a border is added before the first letter and after the last.
 */
function eachPair(name: string, visit: (pair: number) => void): void {
  const from = name.startsWith("mcp__") ? 5 : 0;
  const to = Math.min(name.length, from + nameCharsMax);
  let previous = 0;
  for (let index = from; index < to; index++) {
    const letter = lowerCase(name.charCodeAt(index)) & 127;
    visit((previous << 7) | letter);
    previous = letter;
  }
  visit(previous << 7);
}

function lowerCase(unit: number): number {
  return unit >= 65 && unit <= 90 ? unit + 32 : unit;
}
