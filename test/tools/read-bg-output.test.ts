import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readBgOutput } from "../../src/tools/read-bg-output.ts";
import type { ReadReply } from "../../src/tools/services.ts";
import { FakeBackground, fakeContext, readOf, runningTask, resultsAt } from "./fake-context.ts";

const state = "Task 7: running for 3.2 s.";
const unread = (bytes: number): string =>
  state.replace(/\.$/, `, ${bytes} byte${bytes === 1 ? "" : "s"} unread.`);
const ended = (reply: ReadReply): ReadReply => ({
  ...reply,
  task: { ...reply.task, state: "exited", exitCode: 0 },
});

type Args = Parameters<typeof readBgOutput.handler>[0];
const readWith = async (replies: readonly ReadReply[], args: Omit<Args, "task_id"> = {}) =>
  readBgOutput.handler(
    { task_id: 7, ...args },
    fakeContext({ background: new FakeBackground(...replies) }),
  );

describe("ReadBgOutput text and cursor", () => {
  const rows: [string, ReadReply[], Omit<Args, "task_id">, string, number][] = [
    ["nothing new", [readOf(5, "")], {}, `(no new output)\n${state}`, 5],
    ["whole lines", [readOf(0, "a\nb\n")], {}, `a\nb\n${state}`, 4],
    ["whole lines, the unfinished one later", [readOf(0, "a\n", "b")], {}, `a\n${unread(1)}`, 2],
    ["only an unfinished line", [readOf(0, "", "Password: ")], {}, `Password: \n${state}`, 10],
    ["terminal colours", [readOf(0, "\u001b[31mred\u001b[0m\n")], {}, `red\n${state}`, 13],
    [
      "lost bytes before the only stretch",
      [readOf(0, "new\n", "", 1_234)],
      {},
      `[... 1,234 bytes were lost here: the task printed more than is kept ...]\nnew\n${state}`,
      1_238,
    ],
    [
      "lost bytes between two stretches",
      [{ ...readOf(0, "old\nnew\n", "", 50), stretches: ["old\n", "new\n"] }],
      {},
      `old\n[... 50 bytes were lost here: the task printed more than is kept ...]\nnew\n${state}`,
      58,
    ],
    ["filter", [readOf(0, "ok 1\nbad 2\nok 3\n")], { filter: "^ok" }, `ok 1\nok 3\n${state}`, 16],
    [
      "filter that keeps nothing",
      [readOf(0, "a\n")],
      { filter: "z" },
      `(no new output)\n${state}`,
      2,
    ],
    [
      "filter does not hide that bytes were lost",
      [readOf(0, "ok\nno\n", "", 9)],
      { filter: "^ok" },
      `[... 9 bytes were lost here: the task printed more than is kept ...]\nok\n${state}`,
      15,
    ],
    [
      "until in a line",
      [readOf(0, "ready\n")],
      { until: "^ready$" },
      `ready\nA line matched \`until\` (^ready$).\n${state}`,
      6,
    ],
    [
      "until in the unfinished line",
      [readOf(0, "", "login: ")],
      { until: "^login" },
      `login: \nA line matched \`until\` (^login).\n${state}`,
      7,
    ],
    [
      "until in a later look",
      [readOf(0, "a\n"), readOf(2, "ready\n", "rest")],
      { until: "ready", wait_ms: 60_000 },
      `a\nready\nA line matched \`until\` (ready).\n${unread(4)}`,
      8,
    ],
    [
      "until that never matches before the end",
      [readOf(0, "a\n"), ended(readOf(2, "b\n"))],
      { until: "z", wait_ms: 60_000 },
      "a\nb\nNo line matched `until` (z).\nTask 7: exited with code 0 after 3.2 s.",
      4,
    ],
  ];
  test.each(rows)("%s", async (_name, replies, args, text, to) => {
    const result = await readWith(replies, args);
    expect({ text: result.text, afterDelivery: result.afterDelivery }).toEqual({
      text,
      afterDelivery: { advanceCursor: { to } },
    });
  });

  test("structured unread bytes are what follows the given text, after several looks too", async () => {
    const first = readOf(100, "0123456789\n");
    const second = readOf(111, "ready\n", "unread");
    const result = await readWith([first, second], { until: "ready", wait_ms: 60_000 });
    expect(result.structured).toEqual({
      ...runningTask,
      unreadBytes: 6,
      output: "0123456789\nready\n",
      lostBytes: 0,
      matched: true,
    });
  });

  test("an `until` that waits asks for what comes after all that it has seen", async () => {
    const background = new FakeBackground(readOf(0, "", "50 %"), readOf(0, "50 % done\n"));
    await readBgOutput.handler(
      { task_id: 7, until: "done", wait_ms: 60_000 },
      fakeContext({ background }),
    );
    const looks = background.reads.map(({ from, waitBeyond }) => ({ from, waitBeyond }));
    expect(looks).toEqual([
      { from: null, waitBeyond: null },
      { from: 0, waitBeyond: 4 },
    ]);
  });

  test.each([
    ["as long as the client does", 5_000, 60_000, 5_000],
    ["wait_ms when that is shorter", 60_000, 1_000, 1_000],
    ["not at all when the limit is over", 0, 60_000, 0],
  ])("waits %s", async (_name, answerMs, waitMs, expected) => {
    const background = new FakeBackground(readOf(0, "a\n"));
    const limits = { resultCharsMax: 30_000, answerMs };
    await readBgOutput.handler(
      { task_id: 7, wait_ms: waitMs },
      fakeContext({ background, limits }),
    );
    const waited = background.reads[0]?.waitMs ?? -1;
    expect(waited).toBeLessThanOrEqual(expected);
    expect(waited).toBeGreaterThanOrEqual(Math.max(0, expected - 500));
  });

  test.each(["until", "filter"] as const)(
    "a bad regular expression in `%s` is refused by name",
    async (name) => {
      const failure: unknown = await readWith([], { [name]: "(" }).catch((error: unknown) => error);
      expect(String(failure)).toStartWith(`AppError: \`${name}\` is not a regular expression: `);
    },
  );

  test("what is too long is cut once, and the whole of it is in the file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "scorpiox-read-"));
    try {
      const path = join(folder, "whole.txt");
      const lines = Array.from({ length: 9_000 }, (_, index) => `line ${index}\n`).join("");
      const context = fakeContext({
        background: new FakeBackground(readOf(0, lines)),
        results: resultsAt(path),
        limits: { resultCharsMax: 20_000, answerMs: null },
      });
      const result = await readBgOutput.handler({ task_id: 7 }, context);
      expect(result.text.length).toBeLessThanOrEqual(20_000);
      expect(result.text.match(/^\[\.\.\. .*$/gm)).toHaveLength(1);
      expect(readFileSync(path, "utf8")).toBe(lines);
      expect(result.links).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
