import { expect, test } from "bun:test";

import { endLazy, forwarding, Lazy } from "../../src/base/lazy.ts";

test("a part is made once, when it is first needed", async () => {
  let times = 0;
  const part = new Lazy(() => Promise.resolve({ number: ++times }));
  expect([part.making, part.made, times]).toEqual([undefined, undefined, 0]);
  const [first, second] = [part.get(), part.get()];
  expect([part.making, part.made]).toEqual([first, undefined]);
  expect(await first).toBe(await second);
  expect([part.made, times]).toEqual([{ number: 1 }, 1]);
});

test("a failure is that of those who wait; the next one tries again", async () => {
  const outcomes = [Promise.reject(new Error("none yet")), Promise.resolve("made")];
  const part = new Lazy(() => outcomes.shift() ?? Promise.resolve("again"));
  const waiting = [part.get(), part.get()].map((each) => each.catch(String));
  expect(await Promise.all(waiting)).toEqual(["Error: none yet", "Error: none yet"]);
  expect([part.making, part.made]).toEqual([undefined, undefined]);
  expect(await part.get()).toBe("made");
});

test("use() is at once when the part is made, and waits for it before", async () => {
  const part = new Lazy(() => Promise.resolve("made"));
  const first = part.use((text) => `${text} first`);
  expect(first).toBeInstanceOf(Promise);
  expect(await first).toBe("made first");
  expect(part.use((text) => `${text} then`)).toBe("made then");
});

test("what is made, or is being made, is ended; what nobody needed is not made for it", async () => {
  const ended: string[] = [];
  const named = (name: string): Lazy<AsyncDisposable> =>
    new Lazy(async () => ({
      [Symbol.asyncDispose]: async () => void ended.push(name),
    }));
  const [made, making, unneeded] = [named("made"), named("making"), named("unneeded")];
  await made.get();
  void making.get();
  const failing = new Lazy<AsyncDisposable>(() => Promise.reject(new Error("none")));
  const failed = failing.get().catch(String);
  await Promise.all([made, making, unneeded, failing].map(endLazy));
  expect(ended.toSorted()).toEqual(["made", "making"]);
  expect(await failed).toBe("Error: none");
});

test("after close nothing is made; what is made, or is being made, stays", async () => {
  const made = new Lazy(() => Promise.resolve("made"));
  await made.get();
  const late = new Lazy(() => Promise.resolve("never"));
  for (const part of [made, late]) part.close();
  expect(await made.get()).toBe("made");
  expect(late.get()).rejects.toMatchObject({ code: "cancelled" });
  expect([made.isClosed, late.making]).toEqual([true, undefined]);
  expect(() => late.assertOpen()).toThrow("The server is shutting down.");
});

test("forwarding() makes the service with the first call, and hands on all arguments", async () => {
  const counter = {
    total: 1,
    async add(first: number, second: number): Promise<number> {
      this.total += first + second;
      return this.total;
    },
  };
  let times = 0;
  const part = new Lazy(() => Promise.resolve((times++, counter)));
  const { add } = forwarding(() => part.get(), ["add"]);
  expect(times).toBe(0);
  expect([await add(1, 2), await add(3, 4), times]).toEqual([4, 11, 1]);
});
