import { setImmediate as nextTurn } from "node:timers/promises";

import { skillNamesAtOnceMax } from "../../base/limits.ts";
import { compareNames } from "./skill-name.ts";

interface Named {
  readonly name: string;
}

interface FirstByName<Entry> {
  /** Sorted. */
  readonly first: readonly Entry[];
  /** Of all that are wanted. */
  readonly count: number;
}

/**
 * The first `countMax` by name of the entries that are wanted. However many there are, the thread is held up for about a
 * millisecond at a time.
 */
export async function firstByName<Entry extends Named>(
  entries: readonly Entry[],
  isWanted: (entry: Entry) => boolean,
  countMax: number,
): Promise<FirstByName<Entry>> {
  let first: Entry[] = [];
  let count = 0;
  for (let start = 0; start < entries.length; start += skillNamesAtOnceMax) {
    if (start > 0) await nextTurn();
    const wanted = entries.slice(start, start + skillNamesAtOnceMax).filter(isWanted);
    count += wanted.length;
    first = [...first, ...wanted].sort((a, b) => compareNames(a.name, b.name)).slice(0, countMax);
  }
  return { first, count };
}
