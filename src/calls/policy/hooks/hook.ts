import { cutText } from "../../../base/cut-text.ts";
import { hookOutputBytesMax } from "../../../base/limits.ts";
import type { Execution } from "../../../commands/background/execution.ts";
import { outputText } from "../../../commands/background/output-store.ts";
/** How the run of a hook went. */
export interface HookEnd {
  /** `held`: a project's hook that is not approved as it is now. `cancelled`: nobody waited for it any more. */
  readonly state: "done" | "failed" | "timed_out" | "not_started" | "cancelled" | "held";
  /** For people, as it completes "the hook …": `ended with exit code 3`. */
  readonly how: string;
  /** Its output; only the two ends when that is long. */
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

/** @param timeoutMs its time limit */
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

/** Whose hooks folder it is. A project's is other people's text: its hooks run after approval only. */
export type HookScope = "user" | "project";

/** How a file is started: by itself, or by the program that its extension stands for. */
export type HookLaunch = "direct" | "shell" | "python" | "powershell" | "batch";

/** A file that runs for an event. */
export interface Hook {
  readonly eventName: string;
  /** File name. */
  readonly name: string;
  readonly scope: HookScope;
  /** The hooks folder: `SX_HOOKS_DIR`. */
  readonly hooksDir: string;
  /** Absolute path, free of symbolic links. */
  readonly path: string;
  readonly launch: HookLaunch;
  /** Runs before the others and is waited for. */
  readonly isSync: boolean;
  /** Why it may not be run, for a guard: it is treated as one that cannot be started, and stops the guarded call. */
  readonly fault?: string;
}

/** A finding in a hooks folder. */
export type HookFinding =
  | { readonly kind: "hook"; readonly hook: Hook }
  /** `disabled`: by its name. `refused`: it is not run, for this reason. */
  | {
      readonly kind: "disabled" | "refused";
      readonly eventName: string;
      readonly name: string;
      readonly scope: HookScope;
      readonly path: string;
      readonly reason: string;
      /** Set if the refused file is a guard, or a folder that may hold one. It stops the calls that it would have guarded. */
      readonly guard?: Hook;
    };

/** A hooks folder, which need not be there. */
export interface HooksFolder {
  readonly scope: HookScope;
  readonly hooksDir: string;
}

/** The key of a hook within its hooks folder. */
export function hookKey({ eventName, name }: Pick<Hook, "eventName" | "name">): string {
  return `${eventName}/${name}`;
}

/** Events of the product itself. Any other name is the user's own and comes by `hooks emit`. */
export const productEvents = [
  "session_start",
  "session_end",
  "tool_use",
  "mcp_call",
  "api_error",
  "agent_idle",
  "hook_failed",
  "task",
  "plan",
  "background",
  "callback",
] as const;

/** Events that have already happened: nothing waits for these hooks, and none can stop anything. */
const toldEvents: ReadonlySet<string> = new Set([
  "api_error",
  "task",
  "plan",
  "background",
  "callback",
]);

/** True when `sync-*` hooks of the event run first and are waited for. */
export function isWaitedFor(eventName: string): boolean {
  return !toldEvents.has(eventName);
}

/** Names of events are names of folders: letters, digits, `_` and `-`, at most 64, a letter or digit first. */
export function isEventName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(text);
}

/** The consequence for an occasion when a hook that was waited for has ended. */
export type Heeded =
  /** The next one gets the same data. */
  | "go-on"
  /** `data` is another from now on. */
  | "changed"
  /** The event's action is not done, as far as that is possible. */
  | "stop";

/** Something that hooks are run for. */
export interface HookOccasion {
  readonly eventName: string;
  /** Whose session it belongs to. */
  readonly clientId: string;
  /** Where the hooks run; asked for when there are any. */
  readonly cwd: () => string | Promise<string>;
  /** The JSON for hooks; made when there are any. */
  readonly data: (cwd: string) => unknown;
  /** When the hook of a call runs: before the call is made, or after it. */
  readonly phase?: "pre" | "post";
  /** Called at the end of each hook that was waited for. Default: those that fail stop it, whatever they say. */
  readonly heed?: (hook: Hook, end: HookEnd) => Heeded;
  /** Ends the hooks that are waited for. */
  readonly signal?: AbortSignal;
  /** True when a hook that is waited for can stop the action: then its exit code is an answer, not a failure. */
  readonly canBeStopped?: boolean;
  /** All hooks that are waited for take no longer together, in ms. */
  readonly waitMsMax?: number;
  /** It is about an end: run although everything is being closed. */
  readonly isLast?: boolean;
}
