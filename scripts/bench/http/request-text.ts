/** Requests of the bench as HTTP/1.1 text. All of it is ASCII, so that characters are bytes. */

/** Ids have ten digits, so that every request of a series is equally long. */
export const firstId = 1_000_000_000;

const idMark = "<id>";

/** Encodes one kind of message again and again, with another id each time. */
export type Encode = (id: number) => string;

/** A POST whose body is `message` with an id. */
export function postEncoder(
  url: URL,
  headers: Readonly<Record<string, string>>,
  message: Readonly<Record<string, unknown>>,
): Encode {
  const text = JSON.stringify({ jsonrpc: "2.0", id: idMark, ...message });
  const [before = "", after = ""] = text.split(JSON.stringify(idMark));
  const length = before.length + String(firstId).length + after.length;
  const start = head(url, "POST", headers, length) + before;
  return (id) => start + id + after;
}

/** A POST whose body is a notification. */
export function encodeNotice(
  url: URL,
  headers: Readonly<Record<string, string>>,
  method: string,
): string {
  const body = JSON.stringify({ jsonrpc: "2.0", method });
  return head(url, "POST", headers, body.length) + body;
}

/** A request without a body. */
export function encodeBare(
  url: URL,
  method: "DELETE",
  headers: Readonly<Record<string, string>>,
): string {
  return head(url, method, headers, 0);
}

function head(
  { host, pathname }: URL,
  method: string,
  headers: Readonly<Record<string, string>>,
  length: number,
): string {
  const all = {
    host,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "content-length": String(length),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${pathname} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
