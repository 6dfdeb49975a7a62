import { expect, test } from "bun:test";

import { Turns } from "../../src/base/turns.ts";

const never = new AbortController().signal;

test("Turns lets so many work at a time, and the others in their order", async () => {
  const turns = new Turns(2);
  const order: string[] = [];
  const first = await turns.take(never);
  const second = await turns.take(never);
  const third = turns.take(never).then((turn) => (order.push("third"), turn));
  const fourth = turns.take(never).then((turn) => (order.push("fourth"), turn));
  expect({ order, taken: turns.taken, hasWaiting: turns.hasWaiting }).toEqual({
    order: [],
    taken: 2,
    hasWaiting: true,
  });
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  (await fourth)[Symbol.dispose]();
  first[Symbol.dispose]();
  expect({ order, taken: turns.taken }).toEqual({ order: ["third", "fourth"], taken: 0 });
});

test("Turns passes over who does not want to wait any longer", async () => {
  const turns = new Turns(1);
  const first = await turns.take(never);
  const leaving = new AbortController();
  const second = turns.take(leaving.signal);
  const third = turns.take(never);
  leaving.abort();
  const code = await second.then(
    () => "taken",
    (error: unknown) => (error as { code: string }).code,
  );
  first[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  expect({ code, taken: turns.taken }).toEqual({ code: "cancelled", taken: 0 });
});

test("Turns refuses who is not wanted already", () => {
  const turns = new Turns(1);
  expect(turns.take(AbortSignal.abort())).rejects.toMatchObject({ code: "cancelled" });
  expect(turns.taken).toBe(0);
});
