import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod/mini";

import { bodyCharsMax } from "../../../src/base/cut-text.ts";
import { AppError } from "../../../src/base/errors.ts";
import { OutputStore, outputText } from "../../../src/commands/background/output-store.ts";
import type { ProtocolVersion } from "../../../src/protocol/message.ts";
import { bash } from "../../../src/tools/bash.ts";
import {
  type AnyTool,
  defineTool,
  type ToolContext,
  type ToolOutput,
} from "../../../src/tools/tool.ts";
import type { FromToolWorker, JobMessage } from "../../../src/tools/workers/messages.ts";
import { runJob } from "../../../src/tools/workers/run-job.ts";
import { endedRun, FakeBackground, fakeContext, noResults, resultsAt } from "../fake-context.ts";

interface Result {
  readonly content: { type: string; text?: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError: boolean;
}

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const toolOf = (act: () => ToolOutput | Promise<ToolOutput>): AnyTool =>
  defineTool({
    name: "Tool",
    title: "A tool",
    description: "Does it",
    annotations,
    input: z.strictObject({
      name: z.string().check(z.minLength(1)),
      count: z.optional(z.int().check(z.minimum(1), z.maximum(9))),
      kind: z.optional(z.enum(["a", "b"])),
    }),
    output: z.object({ data: z.optional(z.string()) }),
    handler: act,
  });

const run = async (
  tool: AnyTool,
  args: unknown,
  version: ProtocolVersion = "2025-11-25",
  context: ToolContext = fakeContext(),
  more: Pick<JobMessage, "wantsData"> = {},
): Promise<FromToolWorker> => {
  const { limits, snapshots } = context;
  return runJob(
    tool,
    {
      kind: "job",
      jobId: 7,
      tool: tool.name,
      args,
      version,
      limits,
      snapshots,
      record: [],
      ...more,
    },
    context,
  );
};

async function resultOf(...call: Parameters<typeof run>): Promise<Result> {
  const message = await run(...call);
  if (message.kind !== "done") throw new Error(`it is a ${message.kind}`);
  return JSON.parse(message.json) as Result;
}

describe("runJob() refuses arguments", () => {
  const fine = toolOf(() => ({ text: "fine" }));
  const allowed = "Allowed: `name`, `count`, `kind`.";
  const rows: [string, unknown, string][] = [
    ["missing", {}, "`name` is missing: it must be a string."],
    ["absent altogether", undefined, "`name` is missing: it must be a string."],
    ["not an object", [], "The arguments must be an object."],
    [
      "text for a number: nothing is converted",
      { name: "x", count: "3" },
      '`count` must be a number, not "3".',
    ],
    ["a number for text", { name: 5 }, "`name` must be a string, not 5."],
    ["null", { name: null }, "`name` must be a string, not null."],
    ["a fraction", { name: "x", count: 1.5 }, "`count` must be an integer, not 1.5."],
    ["empty text", { name: "" }, "`name` must not be empty."],
    ["too small", { name: "x", count: 0 }, "`count` must be at least 1, not 0."],
    ["too big", { name: "x", count: 10 }, "`count` must be at most 9, not 10."],
    ["not one of", { name: "x", kind: "c" }, '`kind` must be one of a, b, not "c".'],
    [
      "unknown",
      { name: "x", more: 1, other: 2 },
      `Unknown argument \`more\`, \`other\`. ${allowed}`,
    ],
    [
      "__proto__",
      JSON.parse('{"name":"x","__proto__":{}}'),
      `Unknown argument \`__proto__\`. ${allowed}`,
    ],
    [
      "several at once",
      { count: 0 },
      "`name` is missing: it must be a string. `count` must be at least 1, not 0.",
    ],
    [
      "a long value is shortened",
      { name: ["y".repeat(100)] },
      `\`name\` must be a string, not ["${"y".repeat(58)}….`,
    ],
  ];
  test.each(rows)("%s", async (_name, args, faults) => {
    const { content, isError } = await resultOf(fine, args);
    expect([content[0]?.text, isError]).toEqual([`Invalid arguments for Tool: ${faults}`, true]);
  });

  test("however many they are, the answer is short", async () => {
    const names = Array.from({ length: 300_000 }, (_, index) => `unknown-${index}`);
    const args = { name: "x", ...Object.fromEntries(names.map((name) => [name, 1])) };
    const [told] = (await resultOf(fine, args)).content;
    expect(told?.text).toContain("`unknown-19` and 299980 more.");
    expect((told?.text ?? "").length).toBeLessThan(1_000);
  });

  test("however long a name is, the answer is short", async () => {
    const [told] = (await resultOf(fine, { name: "x", ["k".repeat(1_000_000)]: 1 })).content;
    expect((told?.text ?? "").length).toBeLessThan(1_000);
  });

  test.each(["2024-11-05", "2025-03-26", "2025-06-18"] as const)(
    "as -32602 under %s",
    async (version) => {
      const message = await run(fine, {}, version);
      expect(message).toEqual({
        kind: "fault",
        jobId: 7,
        isInvalid: true,
        fault: {
          code: -32602,
          message: "Invalid arguments for Tool: `name` is missing: it must be a string.",
        },
      });
    },
  );

  test.each(["2025-11-25", "2026-07-28"] as const)(
    "as a result with isError under %s",
    async (version) => {
      expect((await resultOf(fine, {}, version)).isError).toBe(true);
    },
  );
});

describe("runJob() shapes what the handler returns", () => {
  const rows: [string, () => ToolOutput | Promise<ToolOutput>, object][] = [
    ["text", () => ({ text: "a" }), { content: [{ type: "text", text: "a" }], isError: false }],
    [
      "a promise",
      async () => ({ text: "a" }),
      { content: [{ type: "text", text: "a" }], isError: false },
    ],
    [
      "data, which is for programs",
      () => ({ text: "a", structured: { data: "d" } }),
      { content: [{ type: "text", text: "a" }], isError: false },
    ],
    [
      "a failure of its own",
      () => ({ text: "no", isError: true }),
      { content: [{ type: "text", text: "no" }], isError: true },
    ],
    [
      "an expected error",
      () => {
        throw new AppError("not_found", "No task 5.");
      },
      { content: [{ type: "text", text: "No task 5." }], isError: true },
    ],
    [
      "a mistake",
      () => Promise.reject(new TypeError("x is undefined")),
      { content: [{ type: "text", text: "Tool failed: x is undefined" }], isError: true },
    ],
    [
      "a lone surrogate",
      () => ({ text: "a\ud800b" }),
      { content: [{ type: "text", text: "a\ufffdb" }], isError: false },
    ],
    [
      "data above 512 KiB, which no client gets",
      () => ({ text: "a", structured: { data: "d".repeat(512 * 1024) } }),
      { content: [{ type: "text", text: "a" }], isError: false },
    ],
    [
      "an image above 512 KiB, which is none",
      () => ({
        text: "a",
        images: [{ type: "image", data: "d".repeat(600_000), mimeType: "image/png" }],
      }),
      {
        content: [
          { type: "image", data: "d".repeat(600_000), mimeType: "image/png" },
          { type: "text", text: "a" },
        ],
        isError: false,
      },
    ],
  ];
  test.each(rows)("%s", async (_name, act, expected) => {
    expect<object>(await resultOf(toolOf(act), { name: "x" })).toEqual(expected);
  });

  const structured = { data: "d" };
  const content = [{ type: "text", text: "a" }];
  test.each([
    ["2025-03-26", { content, isError: false }],
    ["2025-06-18", { content, structuredContent: structured, isError: false }],
  ] as const)("a tool that answers in JSON, under %s", async (version, expected) => {
    const tool = { ...toolOf(() => ({ text: "a", structured })), answersInJson: true } as const;
    expect<object>(await resultOf(tool, { name: "x" }, version)).toEqual(expected);
  });

  const tooLong = {
    type: "text",
    text: "The call was made. Its result is too long to return as structured data; this is its text:\n",
  };
  test.each([
    ["as long as the client takes", 29_989, {}, "2025-11-25", undefined, false],
    ["longer", 29_990, {}, "2025-11-25", [tooLong, ...content], true],
    ["huge", 2_000_000, {}, "2026-07-28", [tooLong, ...content], true],
    ["huge, for a program", 2_000_000, { wantsData: true }, "2025-11-25", content, false],
    ["huge, for a client that knows no data", 2_000_000, {}, "2025-03-26", content, false],
  ] as const)("data is never cut: %s", async (_name, length, more, version, texts, isError) => {
    const data = { data: "d".repeat(length) };
    const tool = {
      ...toolOf(() => ({ text: "a", structured: data })),
      answersInJson: true,
    } as const;
    const context = fakeContext();
    const limits = { ...context.limits, resultCharsMax: 30_000 };
    const message = await run(tool, { name: "x" }, version, { ...context, limits }, more);
    const result = message.kind === "done" ? (JSON.parse(message.json) as Result) : undefined;
    expect([result?.content, result?.structuredContent, result?.isError]).toEqual([
      (texts ?? content) as Result["content"],
      texts === undefined ? data : undefined,
      isError,
    ]);
  });

  test.each([
    ["wanted", { wantsData: true }, { data: "d" }, '{"data":"d"}'],
    ["not wanted", {}, { data: "d" }, undefined],
    ["none", { wantsData: true }, undefined, undefined],
    ["too large", { wantsData: true }, { data: "d".repeat(512 * 1024) }, undefined],
  ] as const)("data beside the result: %s", async (_name, more, data, dataJson) => {
    const tool = toolOf(() => ({ text: "a", ...(data && { structured: data }) }));
    const message = await run(tool, { name: "x" }, "2025-11-25", fakeContext(), more);
    if (message.kind !== "done") throw new Error(`it is a ${message.kind}`);
    expect([JSON.parse(message.json), message.dataJson]).toEqual([
      { content, isError: false },
      dataJson,
    ]);
  });

  test.each([
    [29_999, 0],
    [30_000, 0],
    [30_001, 1],
    [1_000_000, 1],
  ])(
    "text of %d characters is cut %d times, to at most 30,000, and saved whole",
    async (length, cuts) => {
      const folder = mkdtempSync(join(tmpdir(), "scorpiox-run-job-"));
      try {
        const path = join(folder, "whole.txt");
        const text = "0123456789".repeat(length / 10 + 1).slice(0, length);
        const context = fakeContext({ results: resultsAt(path) });
        const result = await resultOf(
          toolOf(() => ({ text })),
          { name: "x" },
          "2025-11-25",
          context,
        );
        const shown = result.content[0]?.text ?? "";
        expect(shown.length).toBeLessThanOrEqual(30_000);
        expect(
          (shown.match(/characters are left out here\. .* the whole output is in/g) ?? []).length,
        ).toBe(cuts);
        expect(result.content.length).toBe(1 + cuts);
        if (cuts > 0) expect(readFileSync(path, "utf8")).toBe(text);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  test.each([
    ["numbers", () => Array.from({ length: 50_000 }, (_, index) => `${index}\n`).join("")],
    ["short lines", () => "y\n".repeat(500_000)],
    ["one line", () => "x".repeat(500_000)],
    ["three bytes a character", () => "世界\n".repeat(100_000)],
    ["no UTF-8 at all", () => new Uint8Array(500_000).fill(0xff)],
  ])(
    "a command's output is cut once, and the file that is named holds the whole: %s",
    async (_name, make) => {
      const made = make();
      const whole = typeof made === "string" ? Buffer.from(made) : made;
      for (const resultCharsMax of [1_000, 20_000, 30_000]) {
        const store = new OutputStore();
        store.append(whole);
        const background = new FakeBackground();
        const saved = {
          path: "/tmp/whole.txt",
          problem: null,
          uri: "scorpiox://results/a-1",
          taskId: 2,
        };
        const cut = outputText(store, bodyCharsMax(resultCharsMax));
        if (cut.kind === "whole") throw new Error("it is not cut");
        background.run = () =>
          Promise.resolve({ ...endedRun, exitCode: 1, output: { ...cut, saved } });
        const addOutput = () => Promise.reject(new Error("it was cut a second time"));
        const results = { ...noResults, addOutput };
        const limits = { resultCharsMax, answerMs: null };
        const context = fakeContext({ background, results, limits });
        const result = await resultOf(bash, { command: "x" }, "2025-11-25", context);
        const [text, ...links] = result.content;
        expect(text?.text).toContain("the whole output is in /tmp/whole.txt");
        expect(text?.text).toEndWith("exit code: 1");
        expect(text?.text?.length).toBeLessThanOrEqual(resultCharsMax);
        expect(links).toHaveLength(1);
      }
    },
  );
});
