/** The result of a web search. Plain data: it crosses threads. Shapes of docs/websearch.md#what-comes-back. */

export type EngineStatus =
  | "ok"
  | "no_results"
  | "blocked"
  | "rate_limited"
  | "parse_error"
  | "poisoned"
  | "timeout"
  | "error"
  | "suspended";

export interface EngineReport {
  readonly name: string;
  readonly status: EngineStatus;
  readonly count: number;
  /** From the request to the end of the answer; 0 when it was not asked. */
  readonly ms: number;
  /** Which block, which error, how long it is suspended. */
  readonly detail?: string;
  /** The suspended engine whose place it took. */
  readonly replaces?: string;
}

export interface SearchResult {
  /** From 1. */
  readonly rank: number;
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** `YYYY-MM-DD`. */
  readonly date?: string;
  /** All that returned it, in the fixed order of engines. */
  readonly engines: readonly string[];
  readonly score: number;
}

export interface SearchReply {
  readonly query: string;
  readonly results: readonly SearchResult[];
  /** Distinct pages found, of which `results` are the best. */
  readonly found: number;
  readonly engines: readonly EngineReport[];
  readonly elapsedMs: number;
  readonly cached: boolean;
  /** True when any engine ended other than `ok` or `no_results`. */
  readonly partial: boolean;
}

export interface SearchRequest {
  readonly query: string;
}

/** True for an engine that is in order, whether it knows the words or not. */
export function isAnswer({ status }: EngineReport): boolean {
  return status === "ok" || status === "no_results";
}
