import { isObject, type ToolCall } from "../client/message.ts";
import type { Summary } from "../stats.ts";
import type { Era } from "./caller.ts";

/** What the load generator is told to do, as JSON in its first argument. */
export interface LoadPlan {
  readonly url: string;
  readonly era: Era;
  readonly call: ToolCall;
  /** Keep-alive connections, each with one call at a time. */
  readonly clients: number;
  /** Before the clock starts. */
  readonly warmUpCalls: number;
  readonly calls: number;
}

/** What it prints, as JSON. */
export interface LoadResult {
  readonly callsPerSecond: number;
  /** From the first byte written to the whole reply read, in µs, of every call. */
  readonly latencyUs: Summary;
}

/** Throws when the text is not what the load generator prints. */
export function parseLoadResult(text: string): LoadResult {
  const value: unknown = JSON.parse(text);
  const isResult =
    isObject(value) && typeof value.callsPerSecond === "number" && isObject(value.latencyUs);
  if (isResult) return value as unknown as LoadResult;
  throw new Error(`the load generator printed ${text.slice(0, 200)}`);
}
