import { type AuthorizationRequest, hasState } from "./authorization-request.ts";
import type { ServerMetadata } from "./server-metadata.ts";

/**
 * What a user has pasted: the address that the browser was sent back to, or the code alone.
 * @returns a text where it cannot be used: what to do instead
 */
export function readPastedAnswer(
  text: string,
  request: AuthorizationRequest,
  metadata: ServerMetadata,
): URLSearchParams | string {
  const trimmed = text.trim();
  if (trimmed === "") return "Paste the address that the browser shows after the login.";
  if (/^https?:/i.test(trimmed) || trimmed.includes("code=") || trimmed.includes("error=")) {
    const query =
      URL.parse(trimmed)?.searchParams ?? new URLSearchParams(trimmed.replace(/^[^?]*\?/, ""));
    if (hasState(query, request)) return query;
    return "That is not the answer to this login; paste the whole address that the browser was sent to.";
  }
  // Who sent a code alone cannot be seen.
  if (metadata.namesIssuer) {
    return "Paste the whole address that the browser was sent to: the code alone does not say who sent it.";
  }
  return new URLSearchParams({ code: trimmed });
}
