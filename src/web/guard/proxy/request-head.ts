import { elementsOf, parseFields, type HeaderField } from "./header-fields.ts";
import { bracketed, hostOf } from "../../../network/host-name.ts";
import { portOf } from "../../../network/port-rules.ts";

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
 * send no chunked requests over HTTP/1; any other client is told so (RFC 9112 section 6.3), and two lengths are an
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
