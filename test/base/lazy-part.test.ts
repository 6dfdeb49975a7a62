import { expect, test } from "bun:test";

import { endPart, LazyPart } from "../../src/base/lazy-part.ts";

test("a part is made once, when it is first needed", async () => {
  let times = 0;
  const part = new LazyPart(() => Promise.resolve({ number: ++times }));
  expect([part.making, part.made, times]).toEqual([undefined, undefined, 0]);
  const [first, second] = [part.get(), part.get()];
  expect([part.making, part.made]).toEqual([first, undefined]);
  expect(await first).toBe(await second);
  expect([part.made, times]).toEqual([{ number: 1 }, 1]);
});

test("a failure is that of those who wait; the next one tries again", async () => {
  const outcomes = [Promise.reject(new Error("none yet")), Promise.resolve("made")];
  const part = new LazyPart(() => outcomes.shift() ?? Promise.resolve("again"));
  const waiting = [part.get(), part.get()].map((each) => each.catch(String));
  expect(await Promise.all(waiting)).toEqual(["Error: none yet", "Error: none yet"]);
  expect([part.making, part.made]).toEqual([undefined, undefined]);
  expect(await part.get()).toBe("made");
});

test("what is made, or is being made, is ended; what nobody needed is not made for it", async () => {
  const ended: string[] = [];
  const named = (name: string): LazyPart<AsyncDisposable> =>
    new LazyPart(async () => ({
      [Symbol.asyncDispose]: async () => void ended.push(name),
    }));
  const [made, making, unneeded] = [named("made"), named("making"), named("unneeded")];
  await made.get();
  void making.get();
  const failing = new LazyPart<AsyncDisposable>(() => Promise.reject(new Error("none")));
  const failed = failing.get().catch(String);
  await Promise.all([made, making, unneeded, failing].map(endPart));
  expect(ended.toSorted()).toEqual(["made", "making"]);
  expect(await failed).toBe("Error: none");
});
