import { describe, expect, test } from "bun:test";
import { taskUpdateMs } from "../../../src/base/limits.ts";
import { TaskUpdates } from "../../../src/calls/resources/own-resources.ts";

/** A second passes when the test says so. */
function start() {
  let told = 0;
  let delays = 0;
  let fire: (() => void) | undefined;
  const updates = new TaskUpdates(
    () => (told += 1),
    (delayMs, callback) => {
      delays += delayMs;
      fire = callback;
      return { stop: () => (fire = undefined) };
    },
  );
  return { updates, told: () => told, second: () => fire?.(), delays: () => delays };
}

describe("TaskUpdates", () => {
  test("tells of output at once, then once a second at most", () => {
    const { updates, told, second, delays } = start();
    for (let count = 0; count < 1000; count += 1) updates.output();
    expect(told()).toBe(1);
    second();
    expect([told(), delays()]).toEqual([2, 2 * taskUpdateMs]);
    for (let count = 0; count < 1000; count += 1) updates.output();
    expect(told()).toBe(2);
    second();
    expect(told()).toBe(3);
  });

  test("after a quiet second output is told at once again", () => {
    const { updates, told, second } = start();
    updates.output();
    second();
    expect(told()).toBe(1);
    updates.output();
    expect(told()).toBe(2);
  });

  test("tells of the end at once, and of nothing after it", () => {
    const { updates, told, second } = start();
    updates.output();
    updates.output();
    updates.end();
    expect(told()).toBe(2);
    second();
    expect(told()).toBe(2);
  });
});
