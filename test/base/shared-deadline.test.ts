import { expect, test } from "bun:test";

import { SharedDeadline } from "../../src/base/cancellation.ts";
import { until } from "../commands/process/until.ts";

test("SharedDeadline calls who is late, once, and not before", async () => {
  const deadline = new SharedDeadline(80);
  const late: [name: string, afterMs: number][] = [];
  const startedAt = performance.now();
  const wait = (name: string): number =>
    deadline.begin(() => late.push([name, performance.now() - startedAt]));
  wait("a");
  wait("b");
  const inTime = wait("c");
  deadline.end(inTime);
  await until(() => late.length >= 2);
  wait("d");
  await until(() => late.length >= 3);
  expect(late.map(([name]) => name)).toEqual(["a", "b", "d"]);
  expect(late.every(([, afterMs]) => afterMs >= 80)).toBe(true);
});

test("SharedDeadline: one that is late may end another", async () => {
  const deadline = new SharedDeadline(40);
  const late: string[] = [];
  deadline.begin(() => {
    late.push("first");
    deadline.end(second);
  });
  const second = deadline.begin(() => late.push("second"));
  deadline.begin(() => late.push("third"));
  await until(() => late.includes("third"));
  expect(late).toEqual(["first", "third"]);
});
