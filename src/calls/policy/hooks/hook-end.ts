import type { Execution } from "../../../commands/background/execution.ts";
import { outputText } from "../../../commands/background/output-text.ts";
import { cutText } from "../../../base/cut-text.ts";
import { hookOutputBytesMax } from "../../../base/limits.ts";

/** How the run of a hook went. */
export interface HookEnd {
  /** `held`: a project's hook that is not approved as it is now. `cancelled`: nobody waited for it any more. */
  readonly state: "done" | "failed" | "timed_out" | "not_started" | "cancelled" | "held";
  /** For people, as it completes "the hook …": `ended with exit code 3`. */
  readonly how: string;
  /** What it wrote, its ends when that is long. */
  readonly output: string;
  /** Its middle was left out. */
  readonly isCut?: true;
  /** Null when it was not ended by its own exit. */
  readonly exitCode: number | null;
  readonly durationMs: number;
}

/** True when the hook itself is to blame. */
export function isFailure({ state }: HookEnd): boolean {
  return state === "failed" || state === "timed_out" || state === "not_started";
}

/** The end of a hook that did not run. */
export function endWithoutRun(state: HookEnd["state"], how: string): HookEnd {
  return { state, how, output: "", exitCode: null, durationMs: 0 };
}

/** @param timeoutMs what it had */
export function endOf(execution: Execution, timeoutMs: number): HookEnd {
  const { exit, endReason, durationMs } = execution;
  const output = outputOf(execution);
  const exitCode = exit?.exitCode ?? null;
  const end = (state: HookEnd["state"], how: string): HookEnd => {
    return { state, how, ...output, exitCode, durationMs };
  };
  if (endReason === "timeout") {
    return end("timed_out", `was still running after ${timeoutMs / 1000} s and was ended`);
  }
  if (endReason !== undefined) return end("cancelled", "was ended");
  if (exit?.signal) return end("failed", `was ended by ${exit.signal}`);
  if (exit?.exitCode === 0) return end("done", "ended with exit code 0");
  return end("failed", `ended with exit code ${exitCode ?? "unknown"}`);
}

function outputOf({ output }: Execution): Pick<HookEnd, "output" | "isCut"> {
  const shown = outputText(output, hookOutputBytesMax);
  if (shown.kind === "whole") return { output: shown.text.trim() };
  const text = `${shown.head}\n[${shown.omittedBytes} bytes left out]\n${shown.tail}`;
  return { output: text.trim(), isCut: true };
}

/** The two ends of an output that is longer than `charsMax`. */
export function shortOutput(output: string, charsMax: number): string {
  const cut = cutText(output, charsMax);
  if (cut === undefined) return output;
  return `${cut.head}\n[${cut.omittedChars} characters left out]\n${cut.tail}`;
}
