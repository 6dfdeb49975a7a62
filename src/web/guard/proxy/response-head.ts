import { endToEnd, headText, parseFields } from "./header-fields.ts";
import { refusalHeader } from "./refusal-header.ts";

/** The head of a server's answer. */
export type ResponseHead =
  /** 1xx: another head follows. */
  | { readonly kind: "interim"; readonly status: number; readonly bytes: Buffer }
  | { readonly kind: "final"; readonly status: number; readonly bytes: Buffer }
  | { readonly kind: "bad"; readonly reason: string };

/**
 * The part of a server's head that is sent on: without the fields about its connection, and with one saying that the
 * client's connection ends with the response. A browser uses one connection to a proxy for many hosts; kept open, a
 * server could answer for others.
 */
export function parseResponseHead(text: string): ResponseHead {
  // Folded lines are obsolete and still sent: one line for the next reader (RFC 9112 section 5.2).
  const [first = "", ...lines] = text
    .trimEnd()
    .replaceAll(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/);
  const [, version, code] = /^HTTP\/(1\.[01]) ([1-5]\d\d)(?: |$)/.exec(first) ?? [];
  const fields = parseFields(lines);
  // oxlint-disable-next-line no-control-regex -- the pattern is for control characters
  if (version === undefined || fields === undefined || /[\u0000-\u001f\u007f]/.test(first)) {
    return { kind: "bad", reason: "its response is not HTTP" };
  }
  const status = Number(code);
  // Nobody asked for an upgrade; and a challenge for proxies must be this proxy's.
  if (status === 101 || status === 407) return { kind: "bad", reason: `it answered ${status}` };
  const kept = endToEnd(fields).filter(([name]) => name.toLowerCase() !== refusalHeader);
  if (status < 200) return { kind: "interim", status, bytes: headText(first, kept) };
  return { kind: "final", status, bytes: headText(first, [...kept, ["Connection", "close"]]) };
}
