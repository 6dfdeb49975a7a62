import type { BackgroundTask } from "../../commands/background/client-tasks.ts";
import { newOutput } from "../../commands/background/output-text.ts";
import type { SavedText } from "../../commands/background/saved-text.ts";
import { formatCount } from "../../base/amount-text.ts";
import { describeState } from "../../base/task-state-text.ts";
import { taskSummary } from "../router/shown-execution.ts";
import { resultPageUri } from "../own-uri.ts";

/** A background task as text: its state, the whole command (lists have its beginning), and all of its output that is held. Terminal colours are taken out. */
export function backgroundText(task: BackgroundTask): string {
  const { id, execution } = task;
  const { output, isRunning } = execution;
  const { stretches, lostBytes, partial } = newOutput(output, 0, !isRunning);
  const [first = "", ...rest] = stretches;
  const gap =
    lostBytes === 0 ? "" : `[... ${formatCount(lostBytes)} bytes were dropped here ...]\n`;
  const lines = [
    `Background task ${id}: ${describeState(taskSummary(task))}.`,
    `Command: ${execution.commandText}`,
    `Output: ${formatCount(output.end)} bytes so far.`,
    "",
    Bun.stripANSI(`${first}${gap}${rest.join("")}${partial}`),
  ];
  return lines.join("\n");
}

/** A saved output as text, with a line that says what was left out and where it is. */
export function savedText(id: string, saved: SavedText): string {
  if (saved.kind === "whole") return Bun.stripANSI(saved.text);
  const { head, tail, omittedBytes } = saved;
  const border = head.endsWith("\n") ? "" : "\n";
  const pages = `${resultPageUri(id, 1)} to ${resultPageUri(id, saved.pages)}`;
  const gap = `[... ${formatCount(omittedBytes)} bytes are left out here: the file has them, and ${pages} ...]\n`;
  return Bun.stripANSI(`${head}${border}${gap}${tail}`);
}
