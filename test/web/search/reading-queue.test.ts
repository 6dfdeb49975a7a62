import { expect, test } from "bun:test";

import { ReadingQueue } from "../../../src/web/search/ask-all.ts";

const noHurry = Number.POSITIVE_INFINITY;

test("ReadingQueue: one at a time, the shortest first", async () => {
  const queue = new ReadingQueue();
  const order: string[] = [];
  let atOnce = 0;
  const read = (chars: number): Promise<number> =>
    queue.run(chars, noHurry, async () => {
      atOnce += 1;
      order.push(`${chars} with ${atOnce - 1} others`);
      await Promise.resolve();
      atOnce -= 1;
      return chars;
    });
  expect(await Promise.all([read(30), read(10), read(20)])).toEqual([30, 10, 20]);
  expect(order).toEqual(["10 with 0 others", "20 with 0 others", "30 with 0 others"]);
});

test("ReadingQueue: a failure is its own, and others are read", async () => {
  const queue = new ReadingQueue();
  const broken = queue.run(1, noHurry, () => Promise.reject(new Error("broken")));
  const whole = queue.run(2, noHurry, async () => "read");
  expect(broken).rejects.toThrow("broken");
  expect(await whole).toBe("read");
});

test.each([
  ["ordinary, any time left", 1_000_000, 50, true],
  ["ordinary, too late", 10, -1, false],
  ["huge, time enough", 3_000_000, 60_000, true],
  ["huge, too little time", 3_000_000, 1_500, false],
])("ReadingQueue: %s", async (_, chars, leftMs, isRead) => {
  const queue = new ReadingQueue();
  const outcome = queue.run(chars, performance.now() + leftMs, async () => "read");
  if (isRead) expect(await outcome).toBe("read");
  else expect(outcome).rejects.toMatchObject({ code: "limit" });
});

test("ReadingQueue: a timer that is due fires between two readings", async () => {
  const queue = new ReadingQueue();
  const order: string[] = [];
  const busy = async (name: string): Promise<void> => {
    const until = performance.now() + 20;
    while (performance.now() < until);
    order.push(name);
  };
  setTimeout(() => order.push("timer"), 5);
  await Promise.all([
    queue.run(1, noHurry, () => busy("first")),
    queue.run(2, noHurry, () => busy("second")),
    queue.run(3, noHurry, () => busy("third")),
  ]);
  expect(order.indexOf("timer")).toBeLessThan(order.indexOf("third"));
});
