import { expect, test } from "bun:test";

import { OutputProgress } from "../../../src/calls/router/output-progress.ts";
import { until } from "../../commands/process/until.ts";

test("OutputProgress sends at most ten messages a second, and the newest of a flood", async () => {
  const messages: string[] = [];
  const progress = new OutputProgress((message) => messages.push(message));
  const started = performance.now();
  progress.onOutput(Buffer.from("first\n"));
  for (let index = 0; index < 1_000; index++) progress.onOutput(Buffer.from(`line ${index}\n`));
  expect(messages[0]).toBe("first");
  await until(() => messages.at(-1)?.endsWith("line 999") === true);
  // The flood itself takes longer than one message's time where processors are busy.
  expect((messages.length - 1) * 90).toBeLessThanOrEqual(performance.now() - started);
  expect(messages.filter((message) => message.length > 2_000)).toEqual([]);
});

test("OutputProgress sends nothing after its end, nor for blanks or colours alone", async () => {
  const messages: string[] = [];
  const progress = new OutputProgress((message) => messages.push(message));
  progress.onOutput(Buffer.from("\n \u001b[0m\n"));
  progress.onOutput(Buffer.from("late\n"));
  progress[Symbol.dispose]();
  await Bun.sleep(120);
  expect(messages).toEqual([]);
});
