import { expect, test } from "bun:test";

import type { Principal } from "../../../src/auth/principal.ts";
import { Places } from "../../../src/server/http/places.ts";

const [alice, bob] = ["alice", "bob"].map((id): Principal => ({ id, scopes: undefined }));

/** How many it gets. */
function takeAll(places: Places, principal: Principal | undefined): number {
  let count = 0;
  for (; places.hasRoomFor(principal!); count++) places.take(principal!);
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
])(
  "of %d places, each may have the part %p: one gets %d, the next %d",
  (max, part, first, second) => {
    const places = new Places(max, part);
    expect([takeAll(places, alice), takeAll(places, bob)]).toEqual([first, second]);
  },
);

test.each([1, 0.5])("what is given back can be had again, with the part %d", (part) => {
  const places = new Places(4, part);
  const count = takeAll(places, alice);
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < count; i++) places.giveBack(alice!);
    expect(takeAll(places, alice)).toBe(count);
  }
  places.giveBack(alice!);
  expect([takeAll(places, alice), takeAll(places, alice)]).toEqual([1, 0]);
});
