import { expect, test } from "bun:test";
import fc from "fast-check";

import { Shares } from "../../src/base/turns.ts";

/** How many times it gets `amount`. */
function takeAll(shares: Shares, owner: string, amount?: number): number {
  let count = 0;
  for (; shares.hasRoomFor(owner, amount); count++) shares.take(owner, amount);
  return count;
}

test.each<[max: number, part: number | undefined, first: number, second: number]>([
  [8, undefined, 8, 0],
  [8, 1, 8, 0],
  [8, 0.25, 2, 2],
  [8, 0.75, 6, 2],
  [7, 0.25, 1, 1],
  [2, 0.25, 1, 1],
  [1, 0.25, 1, 0],
  [0, 0.25, 0, 0],
])("of %d, each may have the part %p: one gets %d, the next %d", (max, part, first, second) => {
  const shares = new Shares(max, part);
  expect([takeAll(shares, "a"), takeAll(shares, "b")]).toEqual([first, second]);
});

test.each([
  [1, 3, 1],
  [0.5, 1, 1],
])("with the part %d, of 100 one gets 30 %d times, the next %d times", (part, first, second) => {
  const shares = new Shares(100, part);
  expect([takeAll(shares, "a", 30), takeAll(shares, "b", part === 1 ? 10 : 30)]).toEqual([
    first,
    second,
  ]);
});

test("property: what is given back can be had again, and no bound is passed", () => {
  const step = fc.record({ owner: fc.constantFrom("a", "b", "c"), amount: fc.nat(40) });
  fc.assert(
    fc.property(fc.constantFrom(1, 0.5, 0.25), fc.array(step), (part, steps) => {
      const shares = new Shares(100, part);
      const taken = steps.filter(({ owner, amount }) => {
        const hasRoom = shares.hasRoomFor(owner, amount);
        if (hasRoom) shares.take(owner, amount);
        return hasRoom;
      });
      const sumOf = (name: string): number =>
        taken.reduce((sum, { owner, amount }) => sum + (owner === name ? amount : 0), 0);
      const sums = ["a", "b", "c"].map(sumOf);
      expect(Math.max(...sums)).toBeLessThanOrEqual(100 * part);
      expect(sumOf("a") + sumOf("b") + sumOf("c")).toBeLessThanOrEqual(100);
      for (const { owner, amount } of taken) shares.giveBack(owner, amount);
      expect(takeAll(shares, "a")).toBe(100 * part);
    }),
  );
});
