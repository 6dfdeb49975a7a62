import { messageOf } from "../../base/errors.ts";
import { otlpRetryMsMax, otlpSendMsMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";

export type SendOutcome =
  | { readonly kind: "taken"; readonly rejected: number }
  /** Sending the same again will not help. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Later it may be taken. @see afterMs the collector's wish, in ms */
  | { readonly kind: "failed"; readonly reason: string; readonly afterMs?: number };

/** The statuses of OTLP after which a request is to be sent again. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Posts a body of OTLP in JSON. Never rejects. @param url known to be one of HTTP */
export async function postToCollector(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<SendOutcome> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(otlpSendMsMax),
    });
    const text = await response.text();
    if (response.ok) return { kind: "taken", rejected: rejectedIn(text) };
    const reason = `HTTP ${response.status}`;
    if (!retryable.has(response.status)) return { kind: "refused", reason };
    const seconds = Number(response.headers.get("retry-after") ?? "");
    return seconds > 0
      ? { kind: "failed", reason, afterMs: Math.min(seconds * 1000, otlpRetryMsMax) }
      : { kind: "failed", reason };
  } catch (error) {
    return { kind: "failed", reason: messageOf(error) };
  }
}

/** Spans that the collector did not take; 0 where it says nothing. */
function rejectedIn(text: string): number {
  try {
    const answer: unknown = JSON.parse(text);
    const partial = isObject(answer) ? answer.partialSuccess : undefined;
    const rejected = isObject(partial) ? Number(partial.rejectedSpans ?? 0) : 0;
    return Number.isFinite(rejected) ? rejected : 0;
  } catch {
    return 0;
  }
}
