import { describe, expect, test } from "bun:test";

import fc from "fast-check";

import { IdTable } from "../../src/base/cancellation.ts";

describe("IdTable", () => {
  test("gives out ids from 1 on, and none of them again soon", () => {
    const table = new IdTable<object>();
    const ids = Array.from({ length: 1000 }, () => {
      const id = table.add({});
      table.delete(id);
      return id;
    });
    expect(ids).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
    expect(table.size).toBe(0);
  });

  test("an id that is over finds nothing, also when its place is taken", () => {
    const table = new IdTable<object>();
    const first = table.add({});
    table.delete(first);
    // The places are used in turn: soon there is something else at that of the first.
    for (let index = 0; index < 200; index++) table.delete(table.add({}));
    const kept = Array.from({ length: 20 }, () => table.add({}));
    expect(table.get(first)).toBeUndefined();
    expect(table.delete(first)).toBe(false);
    expect(kept.every((id) => table.get(id) !== undefined)).toBe(true);
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 32 + 1])("%p is no id", (id) => {
    const table = new IdTable<object>();
    table.add({});
    expect([table.get(id), table.delete(id), table.size]).toEqual([undefined, false, 1]);
  });

  test("does what a map does that counts its keys", () => {
    // Add something, or delete the n-th of what is there.
    const step = fc.oneof({ weight: 3, arbitrary: fc.constant("add" as const) }, fc.nat());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 500 }), (steps) => {
        const table = new IdTable<object>();
        const model = new Map<number, object>();
        for (const one of steps) {
          if (one === "add") {
            const item = {};
            model.set(table.add(item), item);
          } else if (model.size > 0) {
            const id = [...model.keys()][one % model.size] ?? 0;
            expect(table.delete(id)).toBe(model.delete(id));
          }
        }
        expect(table.size).toBe(model.size);
        const entries = table.entries().sort(([one], [other]) => one - other);
        expect(entries).toEqual([...model]);
        expect([...model].every(([id, item]) => table.get(id) === item)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("values() is not changed by what comes and goes", () => {
    const table = new IdTable<{ name: string }>();
    const first = table.add({ name: "a" });
    table.add({ name: "b" });
    const values = table.values();
    table.delete(first);
    table.add({ name: "c" });
    expect(values).toEqual([{ name: "a" }, { name: "b" }]);
    expect(new Set(table.values())).toEqual(new Set([{ name: "b" }, { name: "c" }]));
  });
});
