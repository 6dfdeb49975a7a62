import { headText, type HeaderField } from "./request-head.ts";

/** Marks a 403 as the guard's own; removed from the answers of servers. */
export const refusalHeader = "x-scorpiox-refused";

const phrases = {
  400: "Bad Request",
  403: "Forbidden",
  407: "Proxy Authentication Required",
  408: "Request Timeout",
  411: "Length Required",
  431: "Request Header Fields Too Large",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
} as const;

export type ReplyStatus = keyof typeof phrases;

/** The proxy's own answers, after each of which it closes the connection. */
export function plainReply(status: ReplyStatus, reason: string): Buffer {
  const body = Buffer.from(`${reason}\n`);
  const fields: HeaderField[] = [
    ["Content-Type", "text/plain; charset=utf-8"],
    ["Content-Length", String(body.length)],
    ["Connection", "close"],
  ];
  if (status === 403) fields.push([refusalHeader, "1"]);
  if (status === 407) fields.push(["Proxy-Authenticate", 'Basic realm="network guard"']);
  return Buffer.concat([headText(`HTTP/1.1 ${status} ${phrases[status]}`, fields), body]);
}
