import { cutEnd, formatCount } from "../../base/cut-text.ts";
import { shownCommandCharsMax } from "../../base/limits.ts";
import type {
  BackgroundTask,
  ClientTask,
  SavedOutputRecord,
  OutputTask,
} from "../../commands/background/client-tasks.ts";
import type { Execution } from "../../commands/background/execution.ts";
import { type CutOutput, newOutput, outputText } from "../../commands/background/output-store.ts";
import type {
  ReadReply,
  RunReply,
  SavedFile,
  ShownOutput,
  TaskSummary,
} from "../../tools/services.ts";
import { backgroundUri } from "../own-uri.ts";

/** A background task as plain data. A command may have megabytes, which every list and read would repeat. */
export function taskSummary(task: ClientTask): TaskSummary {
  if (task.kind === "output") return outputSummary(task);
  const { id, kind, execution, cursor } = task;
  return {
    taskId: id,
    kind,
    command: shownCommand(id, execution.commandText),
    state: execution.state,
    exitCode: execution.exit?.exitCode ?? null,
    signal: execution.exit?.signal ?? null,
    endedBy: execution.endReason ?? null,
    pid: execution.pid,
    runtimeMs: execution.durationMs,
    unreadBytes: execution.output.end - cursor,
  };
}

/** As a command that has ended well, which its own may not have. */
function outputSummary({ id, kind, output, cursor }: OutputTask): TaskSummary {
  return {
    taskId: id,
    kind,
    command: cutEnd(output.title, shownCommandCharsMax),
    state: "exited",
    exitCode: null,
    signal: null,
    endedBy: null,
    pid: 0,
    runtimeMs: 0,
    unreadBytes: Math.max(0, output.bytes - cursor),
  };
}

/** The beginning of a long command, and where all of it can be read. */
function shownCommand(taskId: number, command: string): string {
  if (command.length <= shownCommandCharsMax) return command;
  const begin = cutEnd(command, shownCommandCharsMax);
  const all = `${formatCount(command.length)} characters`;
  return `${begin} [${all}; all of them are in ${backgroundUri(taskId)}]`;
}

/** The reply to a foreground command. */
export function runReply(
  execution: Execution,
  taskId: number | null,
  output: ShownOutput,
): Omit<RunReply, "notes"> {
  return {
    taskId,
    output,
    exitCode: execution.exit?.exitCode ?? null,
    signal: execution.exit?.signal ?? null,
    timedOut: execution.state === "timed_out",
    isLost: execution.state === "lost",
    leftBehind: execution.leftBehind,
    durationMs: execution.durationMs,
  };
}

/** Saves output that was left out, so that the client can read it. */
export type AddOutput = (output: Omit<SavedOutputRecord, "title">) => Omit<SavedFile, "problem">;

/** The output of an ended command in `charsMax` characters; a file that is not needed is removed. */
export async function endedOutput(
  execution: Execution,
  charsMax: number,
  addOutput: AddOutput,
): Promise<ShownOutput> {
  const shown = outputText(execution.output, charsMax);
  if (shown.kind === "cut") {
    const { savedOutput } = execution;
    return cutOutput(shown, execution, savedOutput?.bytes ?? 0, addOutput);
  }
  await execution.savedOutput?.remove();
  return shown;
}

/** The output so far of a command that runs on, and how far into it that goes. */
export function outputSoFar(
  execution: Execution,
  charsMax: number,
  addOutput: AddOutput,
): { output: ShownOutput; to: number } {
  const { stretches, lostBytes, linesTo, partial, partialTo } = newOutput(
    execution.output,
    0,
    false,
  );
  // A line that is not ended is shown only when there is nothing else.
  const text = stretches.join("") || partial;
  if (lostBytes === 0 && Buffer.byteLength(text) <= charsMax) {
    return { output: { kind: "whole", text }, to: stretches.length === 0 ? partialTo : linesTo };
  }
  // Not up to the end: a character that is not complete belongs to the next read.
  const shown = outputText(execution.output, charsMax, partialTo);
  if (shown.kind === "whole") return { output: shown, to: partialTo };
  return { output: cutOutput(shown, execution, partialTo, addOutput), to: partialTo };
}

/** @param bytes how many of the output the file has, or will have */
function cutOutput(
  { headBytes, ...shown }: CutOutput,
  { savedOutput }: Execution,
  bytes: number,
  addOutput: AddOutput,
): ShownOutput {
  if (savedOutput === undefined) return { ...shown, saved: null };
  const { id: resultId, path, problem = null } = savedOutput;
  return { ...shown, saved: { ...addOutput({ resultId, path, from: headBytes, bytes }), problem } };
}

/** The reply about an output in a file: only the offset reached, since a reader that goes on asks for its parts. */
export function savedReply(task: OutputTask, from: number): ReadReply {
  const seenTo = task.output.bytes;
  const nothing = { stretches: [], lostBytes: 0, linesTo: from, partial: "", partialTo: from };
  return { task: taskSummary(task), ...nothing, seenTo };
}

/** The output of a task after `from`. */
export function readReply(task: BackgroundTask, from: number): ReadReply {
  const { execution } = task;
  const fresh = newOutput(execution.output, from, !execution.isRunning);
  return { task: taskSummary(task), ...fresh, seenTo: execution.output.end };
}
