import type { Socket } from "node:net";
import { bracketed, hostOf, portOf } from "../../../network/host-name.ts";

/** The request of a proxy's client. */
export type ProxyRequest =
  | {
      readonly kind: "connect";
      readonly host: string;
      readonly port: number;
      readonly fields: readonly HeaderField[];
    }
  | {
      readonly kind: "forward";
      readonly method: string;
      readonly url: URL;
      readonly fields: readonly HeaderField[];
      /** Bytes of the body. */
      readonly bodyBytes: number;
    }
  /** Not to be answered but with `status` and `reason`. */
  | { readonly kind: "bad"; readonly status: 400 | 411 | 501; readonly reason: string };

const bad = (reason: string, status: 400 | 411 | 501 = 400): ProxyRequest => ({
  kind: "bad",
  status,
  reason,
});

/** Reads a head that ends in an empty line, as RFC 9112 has it and not a bit more leniently. */
export function parseRequestHead(text: string): ProxyRequest {
  const [first = "", ...lines] = text.slice(0, -4).split("\r\n");
  const [, method, target] = /^([A-Z]{1,32}) (\S+) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined || target === undefined) return bad("The request line is not HTTP/1.");
  const fields = parseFields(lines);
  if (fields === undefined) return bad("A header line is malformed.");
  return method === "CONNECT" ? parseConnect(target, fields) : parseForward(method, target, fields);
}

function parseConnect(target: string, fields: readonly HeaderField[]): ProxyRequest {
  const [, name, port] = /^(\[[0-9A-Fa-f:.]+\]|[^\s/@?#\\:[\]]+):(\d{1,5})$/.exec(target) ?? [];
  const url = name === undefined ? null : URL.parse(`https://${name}:${port}/`);
  if (url === null || Number(port) === 0) return bad("CONNECT needs host:port.");
  return { kind: "connect", host: hostOf(url), port: Number(port), fields };
}

function parseForward(
  method: string,
  target: string,
  fields: readonly HeaderField[],
): ProxyRequest {
  const url = URL.parse(target);
  if (url === null || url.protocol !== "http:" || !/^http:\/\//i.test(target)) {
    return bad("Only CONNECT and whole http:// URLs are served.");
  }
  if (url.username !== "" || url.password !== "") return bad("The URL has credentials.");
  const framed = bodyBytesOf(fields);
  if (typeof framed !== "number") return framed;
  return { kind: "forward", method, url, fields, bodyBytes: framed };
}

/**
 * The length of a request's body. One rule: a body has one Content-Length. Clients of this proxy are browsers, which
 * send no chunked requests over HTTP/1; any other client gets an error (RFC 9112 section 6.3), and two lengths are an
 * attempt to have two readers disagree.
 */
function bodyBytesOf(fields: readonly HeaderField[]): number | ProxyRequest {
  const lengths = elementsOf(fields, "content-length");
  const codings = elementsOf(fields, "transfer-encoding");
  if (lengths.length > 0 && codings.length > 0) {
    return bad("Content-Length and Transfer-Encoding exclude each other.");
  }
  if (codings.length > 0) {
    return codings.length === 1 && codings[0] === "chunked"
      ? bad("A body needs a Content-Length here.", 411)
      : bad("This Transfer-Encoding is not supported.", 501);
  }
  const [length = "0", ...others] = new Set(lengths);
  if (others.length > 0) return bad("The request has several Content-Length headers.");
  if (!/^\d{1,15}$/.test(length)) return bad("Content-Length is not a number.");
  return Number(length);
}

/** The absolute form of a request, as it is sent to another proxy. */
export function absoluteForm(url: URL): string {
  return `http://${bracketed(hostOf(url))}:${portOf(url)}${url.pathname}${url.search}`;
}

/** The reason why the reading of a head ended. */
export type HeadRead =
  | { readonly kind: "head"; readonly text: string; readonly rest: Buffer }
  | { readonly kind: "closed" | "too_large" | "timeout" };

/** An empty line. Servers are read leniently, since old ones end lines by LF alone; clients are not. */
type EmptyLine = "strict" | "lenient";

interface HeadLimits {
  readonly bytesMax: number;
  readonly msMax: number;
  readonly emptyLine: EmptyLine;
}

/**
 * Takes the bytes up to the first empty line off a socket, however they are cut into packets, and leaves it paused.
 * `rest` has the bytes after it. The text is Latin-1: one character for each byte, as heads are forwarded.
 * @param before bytes that were taken off the socket earlier
 */
export function readHead(socket: Socket, limits: HeadLimits, before?: Buffer): Promise<HeadRead> {
  return new Promise((resolve) => {
    let text = "";
    let isSettled = false;
    const settle = (result: HeadRead): void => {
      isSettled = true;
      clearTimeout(timer);
      socket.pause();
      socket.removeListener("data", take);
      socket.removeListener("end", onEnd);
      socket.removeListener("close", onEnd);
      resolve(result);
    };
    const take = (data: string | Buffer): void => {
      const chunk = typeof data === "string" ? Buffer.from(data, "latin1") : data;
      // The empty line may have begun in the chunk before.
      const from = Math.max(0, text.length - 3);
      text += chunk.toString("latin1");
      const end = endOfHead(text, from, limits.emptyLine);
      if (end === undefined ? text.length > limits.bytesMax : end > limits.bytesMax) {
        settle({ kind: "too_large" });
      } else if (end !== undefined) {
        const rest = Buffer.from(text.slice(end), "latin1");
        settle({ kind: "head", text: text.slice(0, end), rest });
      }
    };
    const onEnd = (): void => settle({ kind: "closed" });
    const timer = setTimeout(() => settle({ kind: "timeout" }), limits.msMax);
    socket.on("data", take);
    socket.once("end", onEnd);
    socket.once("close", onEnd);
    if (before !== undefined && before.length > 0) take(before);
    if (socket.destroyed) onEnd();
    else if (!isSettled) socket.resume();
  });
}

/** The offset behind the first empty line at or after `from`. */
function endOfHead(text: string, from: number, kind: EmptyLine): number | undefined {
  if (kind === "strict") {
    const at = text.indexOf("\r\n\r\n", from);
    return at < 0 ? undefined : at + 4;
  }
  const expression = /\n\r?\n/g;
  expression.lastIndex = from;
  const match = expression.exec(text);
  return match === null ? undefined : match.index + match[0].length;
}

/** Name as it was sent, and value without the blanks around it. */
export type HeaderField = readonly [name: string, value: string];

/** Header fields of one connection only, never forwarded (RFC 9110 section 7.6.1), and the fields that `Connection` names. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
]);

/**
 * The fields of a head without its first line. Undefined when a line is not `name: value`, has a blank before the
 * colon, goes on from the line before, or has a control character: two readers could read such a line differently.
 */
export function parseFields(lines: readonly string[]): HeaderField[] | undefined {
  const fields: HeaderField[] = [];
  for (const line of lines) {
    const match = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*)$/.exec(line);
    const [, name, value] = match ?? [];
    if (name === undefined || value === undefined) return undefined;
    // oxlint-disable-next-line no-control-regex -- the pattern is for control characters
    if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(value)) return undefined;
    fields.push([name, value.trimEnd()]);
  }
  return fields;
}

/** All values of a field, each element of a list apart, in lower case. */
function elementsOf(fields: readonly HeaderField[], name: string): string[] {
  return fields
    .filter(([other]) => other.toLowerCase() === name)
    .flatMap(([, value]) => value.split(","))
    .map((element) => element.trim().toLowerCase());
}

/** The part of `fields` that is forwarded. */
export function endToEnd(fields: readonly HeaderField[]): HeaderField[] {
  const named = new Set(elementsOf(fields, "connection"));
  // How the body is framed belongs to the message: naming it here would take it apart.
  for (const framing of ["content-length", "transfer-encoding", "host"]) named.delete(framing);
  return fields.filter(([name]) => {
    const lower = name.toLowerCase();
    return !hopByHop.has(lower) && !named.has(lower);
  });
}

export function headText(firstLine: string, fields: readonly HeaderField[]): Buffer {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${firstLine}\r\n${lines.join("")}\r\n`, "latin1");
}

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
