import { expect, test } from "bun:test";

import { compareNaturally } from "../../../../src/calls/policy/hooks/read-hooks.ts";

const rows: readonly { readonly names: readonly string[]; readonly sorted: string[] }[] = [
  { names: ["10-b", "9-a", "1-c"], sorted: ["1-c", "9-a", "10-b"] },
  {
    names: ["sync-2.sh", "sync-10.sh", "sync-02.sh"],
    sorted: ["sync-02.sh", "sync-2.sh", "sync-10.sh"],
  },
  { names: ["b", "B", "a", "ä", "A"], sorted: ["A", "B", "a", "b", "ä"] },
  { names: ["a1b", "a1", "a", ""], sorted: ["", "a", "a1", "a1b"] },
  {
    names: ["99999999999999999999", "100000000000000000000", "0"],
    sorted: ["0", "99999999999999999999", "100000000000000000000"],
  },
];

test.each(rows)("compareNaturally() sorts $sorted", ({ names, sorted }) => {
  const forwards = names.toSorted(compareNaturally);
  const backwards = names.toReversed().toSorted(compareNaturally);
  expect({ forwards, backwards }).toEqual({ forwards: sorted, backwards: sorted });
});
