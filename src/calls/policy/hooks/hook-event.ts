import type { HookEnd } from "./hook-end.ts";
import type { Hook } from "./hook.ts";

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

/** What has happened already is only told: nobody waits for these hooks, and none can stop anything. */
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

/** What becomes of an occasion when a hook that was waited for has ended. */
export type Heeded =
  /** The next one is told the same. */
  | "go-on"
  /** `data` is another from now on. */
  | "changed"
  /** What it is about is not done, as far as that is possible. */
  | "stop";

/** Something that hooks are run for. */
export interface HookOccasion {
  readonly eventName: string;
  /** Whose session it belongs to. */
  readonly clientId: string;
  /** Where the hooks run; asked for when there are any. */
  readonly cwd: () => string | Promise<string>;
  /** What hooks get as JSON; made when there are any. */
  readonly data: (cwd: string) => unknown;
  /** Of a call: before it is made, or after it. */
  readonly phase?: "pre" | "post";
  /** Told of the end of each hook that was waited for. Default: those that fail stop it, whatever they say. */
  readonly heed?: (hook: Hook, end: HookEnd) => Heeded;
  /** Ends the hooks that are waited for. */
  readonly signal?: AbortSignal;
  /** True when a hook that is waited for can stop what it is about: then its exit code is an answer, not a failure. */
  readonly canBeStopped?: boolean;
  /** All hooks that are waited for take no longer together, in ms. */
  readonly waitMsMax?: number;
  /** It is about an end: run although everything is being closed. */
  readonly isLast?: boolean;
}
