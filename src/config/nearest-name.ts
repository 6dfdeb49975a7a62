/** The one of `candidates` that `name` was probably meant to be, or undefined when none is close. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  return nearestNames(name, candidates, 1)[0];
}

/** The `candidates` that are close to `name`, at most `count`, the closest first. */
export function nearestNames(
  name: string,
  candidates: Iterable<string>,
  count: number,
): readonly string[] {
  const wanted = name.slice(0, nameCharsMax).toLowerCase();
  const distanceMax = Math.max(1, Math.floor(wanted.length / 3));
  const near: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of candidates) {
    const known = candidate.slice(0, nameCharsMax).toLowerCase();
    // So many characters at least would have to be put in or taken out.
    if (Math.abs(known.length - wanted.length) > distanceMax) continue;
    const distance = editDistance(wanted, known);
    if (distance <= distanceMax) near.push({ candidate, distance });
  }
  near.sort((a, b) => a.distance - b.distance);
  return near.slice(0, count).map(({ candidate }) => candidate);
}

/** ` Did you mean X?` to follow a sentence, or nothing. */
export function suggestionFor(name: string, candidates: Iterable<string>): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}

/** The cost grows with the product of both lengths; names are shorter. */
const nameCharsMax = 80;

/** Insertions, deletions, replacements and swaps of neighbours between `from` and `to`. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwapped ? at(beforePrevious, column - 2) + 1 : Infinity;
      const added = Math.min(at(current, column - 1), at(previous, column)) + 1;
      current.push(Math.min(replaced, added, swapped));
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
