import type { BackgroundTask } from "../background/client-tasks.ts";
import type { Execution } from "../background/execution.ts";
import { newOutput, outputText } from "../background/output-text.ts";
import type { ReadReply, RunReply, ShownOutput, TaskSummary } from "../tools/services.ts";

/** A background task as plain data. */
export function taskSummary({ id, execution, cursor }: BackgroundTask): TaskSummary {
  return {
    taskId: id,
    command: execution.commandText,
    state: execution.state,
    exitCode: execution.exit?.exitCode ?? null,
    signal: execution.exit?.signal ?? null,
    endedBy: execution.endReason ?? null,
    pid: execution.pid,
    runtimeMs: execution.durationMs,
    unreadBytes: execution.output.end - cursor,
  };
}

/** What a foreground command is answered with. */
export function runReply(
  execution: Execution,
  taskId: number | null,
  output: ShownOutput,
): RunReply {
  return {
    taskId,
    output,
    exitCode: execution.exit?.exitCode ?? null,
    signal: execution.exit?.signal ?? null,
    timedOut: execution.state === "timed_out",
    isLost: execution.state === "lost",
    durationMs: execution.durationMs,
  };
}

/** The output of an ended command within the client's limit; a file that is not needed is removed. */
export async function endedOutput(execution: Execution, charsMax: number): Promise<ShownOutput> {
  const shown = outputText(execution.output, charsMax);
  const { savedOutput } = execution;
  if (shown.kind === "whole") {
    await savedOutput?.remove();
    return shown;
  }
  const problem = savedOutput?.problem ?? null;
  const saved = savedOutput === undefined ? null : { path: savedOutput.path, problem };
  return { ...shown, saved };
}

/** The output so far of a command that runs on, and how far into it that goes. */
export function outputSoFar(
  execution: Execution,
  charsMax: number,
): { output: ShownOutput; to: number } {
  const { stretches, lostBytes, linesTo } = newOutput(execution.output, 0, false);
  const text = stretches.join("");
  if (lostBytes === 0 && Buffer.byteLength(text) <= charsMax) {
    return { output: { kind: "whole", text }, to: linesTo };
  }
  const shown = outputText(execution.output, charsMax);
  const { savedOutput } = execution;
  const saved = savedOutput === undefined ? null : { path: savedOutput.path, problem: null };
  if (shown.kind === "whole") return { output: shown, to: execution.output.end };
  return { output: { ...shown, saved }, to: execution.output.end };
}

/** What follows `from` in a task's output. */
export function readReply(task: BackgroundTask, from: number): ReadReply {
  const { execution } = task;
  const fresh = newOutput(execution.output, from, !execution.isRunning);
  return { task: taskSummary(task), from, ...fresh };
}
