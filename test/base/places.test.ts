import { describe, expect, test } from "bun:test";

import { Places } from "../../src/base/places.ts";

/** Work that begins when its place is there and ends when it is told to. */
class Work {
  readonly #end = Promise.withResolvers<void>();
  hasBegun = false;
  readonly done: Promise<void>;

  constructor(places: Places, signal: AbortSignal = new AbortController().signal) {
    this.done = places.hold(signal, () => {
      this.hasBegun = true;
      return this.#end.promise;
    });
    this.done.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#end.resolve();
    await this.done;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("Places", () => {
  test("holds no more at a time than there are places, in the order of their coming", async () => {
    const places = new Places(2);
    const works = Array.from({ length: 4 }, () => new Work(places));
    await turn();
    expect(works.map(({ hasBegun }) => hasBegun)).toEqual([true, true, false, false]);
    await works[1]?.end();
    const late = new Work(places);
    await turn();
    expect([...works, late].map(({ hasBegun }) => hasBegun)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    for (const work of [...works, late]) await work.end();
  });

  test("who does not want to wait any more is answered at once, and takes no place", async () => {
    const places = new Places(1);
    const first = new Work(places);
    const controller = new AbortController();
    const second = new Work(places, controller.signal);
    const third = new Work(places);
    controller.abort(new Error("no more"));
    expect(second.done).rejects.toThrow("no more");
    await second.done.catch(() => undefined);
    expect(first.hasBegun).toBe(true);
    await first.end();
    await turn();
    expect([second.hasBegun, third.hasBegun]).toEqual([false, true]);
    await third.end();
  });

  test("a place is given back by work that fails", async () => {
    const places = new Places(1);
    const { signal } = new AbortController();
    const failed = places.hold(signal, () => Promise.reject(new Error("failed")));
    expect(failed).rejects.toThrow("failed");
    await failed.catch(() => undefined);
    expect(await places.hold(signal, () => Promise.resolve(1))).toBe(1);
  });

  test("nothing begins for a signal that has aborted before", () => {
    const work = new Work(new Places(1), AbortSignal.abort());
    expect(work.done).rejects.toThrow();
    expect(work.hasBegun).toBe(false);
  });
});
