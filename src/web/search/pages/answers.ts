import type { BlockCause, EngineAnswer, RawResult } from "../engine.ts";

/** The answers of engines, each made in one place. */

export const noResults: EngineAnswer = { state: "no_results" };

export function blocked(detail: string, cause: BlockCause = "challenge"): EngineAnswer {
  return { state: "blocked", cause, detail };
}

/** A place on the way that asks for consent. */
export function consentWall(): EngineAnswer {
  return blocked("consent", "denied");
}

export function rateLimited(detail: string, retryAfterMs?: number): EngineAnswer {
  return { state: "rate_limited", detail, retryAfterMs };
}

export function parseError(detail: string): EngineAnswer {
  return { state: "parse_error", detail };
}

export function failed(detail: string): EngineAnswer {
  return { state: "error", detail };
}

/** The entries that an API listed: those without a title or an address are of no use. An empty list is an answer. */
export function listed(entries: readonly unknown[], results: readonly RawResult[]): EngineAnswer {
  const usable = results.filter(({ title, url }) => title !== "" && url !== "");
  if (usable.length > 0) return { state: "ok", results: usable };
  return entries.length === 0
    ? noResults
    : parseError(`none of ${entries.length} entries has a title and an address`);
}
