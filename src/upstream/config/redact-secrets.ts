import { hidden } from "../../base/secrets.ts";
import { redactedCharsMin } from "../../base/upstream-limits.ts";

/** Built once for each launch and used for each line of its log. */
const expressions = new WeakMap<readonly string[], RegExp | null>();

/**
 * `text` with each secret written as `***`, the longest first, also in its forms in JSON, in a URL and in base64. Takes
 * one pass over the text, whose length the caller bounds.
 */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let expression = expressions.get(secrets);
  if (expression === undefined) {
    expression = expressionOf(secrets);
    expressions.set(secrets, expression);
  }
  return expression === null ? text : text.replace(expression, hidden);
}

function expressionOf(secrets: readonly string[]): RegExp | null {
  const forms = new Set(secrets.flatMap(formsOf));
  const sorted = [...forms].sort((a, b) => b.length - a.length);
  return sorted.length === 0
    ? null
    : new RegExp(sorted.map((form) => RegExp.escape(form)).join("|"), "g");
}

function formsOf(secret: string): readonly string[] {
  if (secret.length < redactedCharsMin) return [];
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams([["", secret]]).toString().slice(1),
    bytes.toString("base64"),
    bytes.toString("base64url"),
  ];
}
