import * as z from "zod/mini";

import { bodyCharsMax, formatAmount, formatCount } from "../base/cut-text.ts";
import { AppError } from "../base/errors.ts";
import { outputWindowBytes } from "../base/limits.ts";
import { type LinearPattern, linearPattern, PatternError } from "../base/linear-pattern.ts";
import { describeState } from "../base/shown-state.ts";
import { type SavedSource, type SavedWish, readSaved } from "./read-saved-output.ts";
import { taskSchema } from "./schemas.ts";
import type { ReadReply } from "./services.ts";
import { fitText, savedLinks } from "./shown-output.ts";
import { defineTool, type ToolContext, type ToolOutput } from "./tool.ts";

const waitMsMax = 86_400_000;

const input = z.strictObject({
  task_id: z.int().check(z.describe("task_id from BackgroundBash or Bash")),
  wait_ms: z
    .optional(z.int().check(z.minimum(0), z.maximum(waitMsMax)))
    .check(
      z.describe(
        "Wait up to this many ms for new output, the end, or `until` (default 0; with `until` the longest wait allowed)",
      ),
    ),
  until: z
    .optional(z.string().check(z.minLength(1), z.maxLength(1_000)))
    .check(z.describe("Regular expression: wait for a line that matches it")),
  filter: z
    .optional(z.string().check(z.minLength(1), z.maxLength(1_000)))
    .check(z.describe("Regular expression: return matching lines only")),
});

const output = z.object({
  ...taskSchema.shape,
  output: z.string(),
  lostBytes: z.int(),
  matched: z.nullable(z.boolean()),
});

export const readBgOutput = defineTool({
  name: "ReadBgOutput",
  title: "Read output of a background task",
  description:
    "Returns a background task's output since your last read, and its state; for output that was cut, the part left out. " +
    "With wait_ms it waits for new output or the end; with until for a matching line; " +
    "filter keeps matching lines only.",
  input,
  output,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  touchesFiles: false,
  async handler({ task_id: taskId, wait_ms, until, filter }, context) {
    const untilPattern = until === undefined ? undefined : await pattern("until", until);
    const filterPattern = filter === undefined ? undefined : await pattern("filter", filter);
    // A wait for a line without a time limit has the client's limit.
    const waitMs = wait_ms ?? (untilPattern === undefined ? 0 : waitMsMax);
    const read = await readUntil(taskId, waitMs, untilPattern, context);
    if (read.reply.task.kind === "output") {
      return savedPage(read, { until: untilPattern, filter: filterPattern }, context);
    }
    const { task } = read.reply;
    const { text: body, saved } = await fitText(compose(read, filterPattern), {
      results: context.results,
      limits: { ...context.limits, resultCharsMax: bodyCharsMax(context.limits.resultCharsMax) },
    });
    const unreadBytes = endOf(read.reply) - read.to;
    const unread = unreadBytes === 0 ? "" : `, ${formatAmount(unreadBytes, "byte")} unread`;
    const notes = [
      ...(read.matched === null ? [] : [matchNote(read.matched, until)]),
      `Task ${taskId}: ${describeState(task)}${unread}.`,
    ];
    return {
      text: [body === "" ? "(no new output)" : body.replace(/\n$/, ""), ...notes].join("\n"),
      structured: {
        ...task,
        unreadBytes,
        output: body,
        lostBytes: read.lostBytes,
        matched: read.matched,
      },
      links: savedLinks(saved, context.limits),
      afterDelivery: { advanceCursor: { to: read.to } },
    };
  },
});

function matchNote(matched: boolean, until = ""): string {
  return `${matched ? "A" : "No"} line matched \`until\` (${until.slice(0, 100)}).`;
}

/** The next page of a saved output. */
async function savedPage(
  { reply }: Reading,
  patterns: Pick<SavedWish, "until" | "filter">,
  { background, limits }: ToolContext,
): Promise<ToolOutput<z.output<typeof output>>> {
  const { task } = reply;
  const { taskId } = task;
  const source = async (from: number): ReturnType<SavedSource> => {
    const { bytes, end } = await background.readSaved({ taskId, from });
    return { bytes: Buffer.from(bytes, "base64"), end };
  };
  const charsMax = bodyCharsMax(limits.resultCharsMax);
  const deadline = performance.now() + (limits.answerMs ?? Number.POSITIVE_INFINITY);
  const page = await readSaved(source, reply.linesTo, { ...patterns, charsMax, deadline });
  const { body, to, end, passedBytes, matched } = page;
  const unreadBytes = end - to;
  const passed = formatCount(passedBytes);
  const lines = [
    ...(passedBytes === 0 ? [] : [`[... ${passed} bytes without a match are skipped here ...]`]),
    body === "" ? "(nothing more)" : body.replace(/\n$/, ""),
    ...(matched === false ? ["No remaining line matches `until`."] : []),
    unreadBytes === 0
      ? `Task ${taskId}: read to the end.`
      : `Task ${taskId}: ${formatCount(unreadBytes)} bytes follow; read again to continue.`,
  ];
  return {
    text: lines.join("\n"),
    structured: { ...task, unreadBytes, output: body, lostBytes: 0, matched },
    afterDelivery: { advanceCursor: { to } },
  };
}

/** All that one call has read, over several looks when it waits for a match. */
interface Reading {
  reply: ReadReply;
  stretches: string[];
  partial: string;
  lostBytes: number;
  to: number;
  matched: boolean | null;
}

async function readUntil(
  taskId: number,
  waitMs: number,
  until: LinearPattern | undefined,
  { background, limits }: ToolContext,
): Promise<Reading> {
  const patienceMs = limits.answerMs ?? waitMs;
  const deadline = performance.now() + Math.min(waitMs, Math.max(0, patienceMs));
  const stretches: string[] = [];
  let lostBytes = 0;
  let from: number | null = null;
  let waitBeyond: number | null = null;
  for (;;) {
    const leftMs = Math.max(0, deadline - performance.now());
    const reply: ReadReply = await background.read({
      taskId,
      from,
      waitBeyond,
      waitMs: leftMs,
    });
    stretches.push(...reply.stretches);
    lostBytes += reply.lostBytes + forgetOldest(stretches);
    const hasMatch =
      until !== undefined &&
      (reply.stretches.some((text) => anyLine(text, until)) || until.test(reply.partial));
    const isAtEnd = reply.seenTo === endOf(reply);
    const isOver = (reply.task.state !== "running" && isAtEnd) || leftMs === 0;
    if (until === undefined || hasMatch || isOver) {
      // A line that is not ended is shown only when there is nothing else, or when it was waited for.
      const showsPartial = stretches.length === 0 || (hasMatch && until.test(reply.partial));
      const partial = showsPartial ? reply.partial : "";
      const to = showsPartial ? reply.partialTo : reply.linesTo;
      return {
        reply,
        stretches,
        partial,
        lostBytes,
        to,
        matched: until === undefined ? null : hasMatch,
      };
    }
    from = reply.linesTo;
    waitBeyond = reply.seenTo;
  }
}

/** The end of the output. A reply is one page of a long output, and has the end of the whole. */
function endOf({ seenTo, end = seenTo }: ReadReply): number {
  return end;
}

/** While it waits for a match in a flood it remembers no more than the output window would. */
function forgetOldest(stretches: string[]): number {
  let chars = stretches.reduce((sum, text) => sum + text.length, 0);
  let forgottenBytes = 0;
  while (chars > outputWindowBytes && stretches.length > 1) {
    const oldest = stretches.shift() ?? "";
    chars -= oldest.length;
    forgottenBytes += Buffer.byteLength(oldest);
  }
  return forgottenBytes;
}

function compose(read: Reading, filter: LinearPattern | undefined): string {
  const lost = `[... ${formatCount(read.lostBytes)} bytes were lost here: the task printed more than is kept ...]\n`;
  const [first, ...others] = read.stretches.map(Bun.stripANSI);
  const texts = others.length === 0 ? ["", first ?? ""] : [first ?? "", ...others];
  texts.push(texts.pop() + Bun.stripANSI(read.partial));
  const [before = "", ...after] =
    filter === undefined ? texts : texts.map((text) => matchingLines(text, filter));
  const parts = read.lostBytes > 0 ? [before, lost, ...after] : [before, ...after];
  return parts.map(endWithNewline).join("");
}

function matchingLines(text: string, filter: LinearPattern): string {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.filter((line) => filter.test(line)).join("\n");
}

function endWithNewline(text: string, index: number, all: readonly string[]): string {
  const isComplete = text === "" || text.endsWith("\n") || index === all.length - 1;
  return isComplete ? text : `${text}\n`;
}

function anyLine(text: string, expression: LinearPattern): boolean {
  return text.split("\n").some((line) => expression.test(line));
}

async function pattern(name: string, source: string): Promise<LinearPattern> {
  try {
    return await linearPattern(source);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new AppError("usage", `\`${name}\` ${error.message} (/${source.slice(0, 100)}/).`);
  }
}
