import type { EngineAnswer, EngineResponse } from "../engine.ts";
import { blocked, failed, rateLimited } from "./answers.ts";

const secondMs = 1_000;

/** The meaning of the status line alone; undefined for a response that has to be read. */
export function statusAnswer({ status, headers }: EngineResponse): EngineAnswer | undefined {
  if (status >= 200 && status < 300) return undefined;
  const detail = `HTTP ${status}`;
  if (status === 429) return rateLimited(detail, retryAfterMs(headers));
  if (status === 401 || status === 402 || status === 403) {
    return blocked(`denied, ${detail}`, "denied");
  }
  return failed(detail);
}

/** `Retry-After` in ms: seconds or a date. Undefined when it is missing or means nothing. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * secondMs;
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const now = Date.parse(headers["date"] ?? "");
  return Math.max(0, until - (Number.isNaN(now) ? Date.now() : now));
}
