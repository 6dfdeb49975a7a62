import { trigramsOf } from "./vocabulary.ts";

/**
 * The names that share most of their letters with `name`, at most `count`, the nearest first; never those that share
 * nothing. Pairs of three letters are compared, so that a word that is missing or in another place costs little.
 */
export function nearestNames(
  name: string,
  names: Iterable<string>,
  count: number,
): readonly string[] {
  const wanted = trigramsOf(normal(name));
  const near: { readonly name: string; readonly likeness: number }[] = [];
  for (const candidate of names) {
    const trigrams = trigramsOf(normal(candidate));
    let shared = 0;
    for (const trigram of wanted) if (trigrams.has(trigram)) shared++;
    const likeness = (2 * shared) / (wanted.size + trigrams.size);
    if (shared > 0) near.push({ name: candidate, likeness });
  }
  near.sort((a, b) => b.likeness - a.likeness || (a.name < b.name ? -1 : 1));
  return near.slice(0, count).map(({ name: nearest }) => nearest);
}

/** Longer names than this are nobody's. */
const nameCharsMax = 200;

function normal(name: string): string {
  return name
    .slice(0, nameCharsMax)
    .replace(/^mcp__/i, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
