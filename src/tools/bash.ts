import { constants } from "node:os";

import * as z from "zod/mini";

import { formatDuration } from "../base/cut-text.ts";
import { commandTimeoutMsDefault, commandTimeoutMsMax } from "../base/limits.ts";
import type { RunReply } from "./services.ts";
import { sandboxText, savedLinks, shownText } from "./shown-output.ts";
import { defineTool, type ToolOutput } from "./tool.ts";

const input = z.strictObject({
  command: z.string().check(z.minLength(1), z.describe("Command text, as for `bash -c`")),
  timeout: z
    ._default(z.int().check(z.minimum(1), z.maximum(commandTimeoutMsMax)), commandTimeoutMsDefault)
    .check(z.describe("Timeout in milliseconds (default 30000)")),
});

/** Above this duration the result says how long the command took. */
const durationToldMs = 1_000;

const output = z.object({
  output: z.string(),
  exitCode: z.nullable(z.int()),
  signal: z.nullable(z.string()),
  timedOut: z.boolean(),
  durationMs: z.int(),
  truncated: z.boolean(),
  outputFile: z.nullable(z.string()),
  taskId: z.nullable(z.int()),
  sandbox: z.nullable(z.string()),
});

export const bash = defineTool({
  name: "Bash",
  title: "Run a shell command",
  description:
    "Runs a shell command in the workspace folder and returns its output and exit code. " +
    "stdout and stderr come together, in order; stdin is empty. " +
    "Processes that the command leaves running are ended: use BackgroundBash for servers and watchers. " +
    "A command that outlasts the client's time limit continues in the background: " +
    "the result then has a task_id for ReadBgOutput. Long output is cut in the middle; read the rest by its task_id.",
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  taskSupport: "optional",
  async handler({ command, timeout }, { background, limits }) {
    const reply = await background.run({ command, timeoutMs: timeout });
    const saved = reply.output.kind === "cut" ? reply.output.saved : null;
    return {
      text: composeText(reply, timeout),
      structured: structuredResult(reply),
      isError: isFailure(reply),
      links: savedLinks(saved, limits),
    };
  },
});

function structuredResult(reply: RunReply): z.output<typeof output> {
  const { exitCode, signal, timedOut, durationMs, taskId } = reply;
  const saved = reply.output.kind === "cut" ? reply.output.saved : null;
  return {
    output: shownText(reply.output),
    exitCode,
    signal,
    timedOut,
    durationMs,
    truncated: reply.output.kind === "cut",
    outputFile: saved?.path ?? null,
    taskId,
    sandbox: sandboxText(reply.notes),
  };
}

function isFailure(reply: RunReply): boolean {
  return reply.taskId === null && (reply.exitCode !== 0 || reply.timedOut);
}

function composeText(reply: RunReply, timeoutMs: number): ToolOutput["text"] {
  const text = shownText(reply.output);
  const notes = [
    endNote(reply, timeoutMs),
    durationNote(reply),
    leftoversNote(reply.leftBehind),
    sandboxText(reply.notes),
  ].filter(Boolean);
  const note = notes.join("\n");
  if (note === "") return text === "" ? "(no output)" : text;
  return text === "" || text.endsWith("\n") ? text + note : `${text}\n${note}`;
}

/** The line after the output; undefined for a command that succeeded. */
function endNote(reply: RunReply, timeoutMs: number): string | undefined {
  if (reply.taskId !== null) {
    return (
      `Still running after ${formatDuration(reply.durationMs)}: it continues in the background as ` +
      `task_id: ${reply.taskId}. Read its output with ReadBgOutput (wait_ms to wait); end it with KillBgTask.`
    );
  }
  if (reply.isLost)
    return "The command could not be ended, not even with SIGKILL, and may still be running.";
  if (reply.timedOut) {
    return (
      `timed out after ${formatDuration(timeoutMs)} and was ended${byWhat(reply)}. ` +
      `Set a longer \`timeout\` (ms), or use BackgroundBash.`
    );
  }
  if (reply.signal !== null) return `ended by signal: ${reply.signal}`;
  return reply.exitCode === 0
    ? undefined
    : `exit code: ${reply.exitCode}${signalBehind(reply.exitCode)}`;
}

/** Reports the processes that the command left running: they are ended with it, which may be a surprise. */
function leftoversNote(count: number | null): string | undefined {
  if (count === 0) return undefined;
  const left = count === 1 ? "1 process" : count === null ? "processes" : `${count} processes`;
  const were = count === 1 ? "was" : "were";
  return `The command left ${left} running, which ${were} ended. Start long-running processes with BackgroundBash.`;
}

/** The signal or exit code with which a command ended. */
function byWhat({ signal, exitCode }: RunReply): string {
  if (signal !== null) return ` by ${signal}`;
  return exitCode === null ? "" : ` (exit code: ${exitCode}${signalBehind(exitCode)})`;
}

/** Undefined for a short command, and for one that timed out or continues: other lines give its duration. */
function durationNote({ durationMs, taskId, timedOut }: RunReply): string | undefined {
  if (durationMs <= durationToldMs || taskId !== null || timedOut) return undefined;
  return `took ${formatDuration(durationMs)}`;
}

/** Shells report a child that a signal ended as 128 and the signal's number. */
function signalBehind(exitCode: number | null): string {
  const name = Object.entries(constants.signals).find(([, code]) => code + 128 === exitCode)?.[0];
  return name === undefined ? "" : ` (${name})`;
}
