import { expect, test } from "bun:test";

import { KeptResults } from "../../../src/server/tasks/mcp-tasks.ts";
import type { McpTask } from "../../../src/server/tasks/mcp-task.ts";

/** As much of an MCP task as there is to know. */
function task(ownerId: string, storedChars: number): McpTask {
  return { ownerId, storedChars } as McpTask;
}

test("KeptResults: each counts once, and no more when it has gone", () => {
  const results = new KeptResults();
  const [one, two] = [task("a", 3), task("a", 4)];
  for (const noted of [one, two, one, task("a", 0)]) results.note(noted);
  expect(results.chars).toBe(7);
  results.remove(one);
  results.remove(one);
  results.remove(task("nobody", 5));
  expect(results.chars).toBe(4);
});

test("KeptResults: who keeps the most is counted anew after each that goes", () => {
  const results = new KeptResults();
  const [old, young] = [task("a", 3), task("a", 3)];
  const other = task("b", 5);
  const newest = task("c", 1);
  for (const noted of [old, young, other, newest]) results.note(noted);
  const gone: McpTask[] = [];
  for (let next = results.nextToGo(newest); next !== undefined;) {
    gone.push(next);
    results.remove(next);
    next = results.nextToGo(newest);
  }
  expect(gone).toEqual([old, other, young]);
  expect(results.chars).toBe(1);
});
