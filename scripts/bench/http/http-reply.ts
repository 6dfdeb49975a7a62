/** HTTP/1.1 replies as they come from a socket, cut out of the bytes without a library that would be measured too. */

export interface HttpReply {
  readonly status: number;
  /** Status line and header lines. */
  readonly head: string;
  readonly body: string;
}

const lineEnd = "\r\n";
const headEnd = "\r\n\r\n";

/** Takes the bytes of one connection and gives its replies, in order. */
export class ReplyReader {
  #waiting: Buffer | undefined;

  /** Undefined until the reply is whole. Throws when it is not one that the bench can read. */
  push(bytes: Buffer): HttpReply | undefined {
    const all = this.#waiting === undefined ? bytes : Buffer.concat([this.#waiting, bytes]);
    const reply = readReply(all);
    // The socket uses its buffer again: what has to wait is copied.
    this.#waiting = reply === undefined ? Buffer.from(all) : undefined;
    return reply;
  }
}

/** The value of a header, or undefined. `name` is in lower case. */
export function headerOf({ head }: HttpReply, name: string): string | undefined {
  return headerIn(head, name);
}

function readReply(bytes: Buffer): HttpReply | undefined {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end);
  const status = Number(head.slice(9, 12));
  const bodyStart = end + headEnd.length;
  if (headerIn(head, "transfer-encoding")?.toLowerCase() === "chunked") {
    const body = readChunks(bytes, bodyStart);
    return body === undefined ? undefined : { status, head, body };
  }
  const bodyEnd = bodyStart + bodyLength(head, status);
  if (bytes.length < bodyEnd) return undefined;
  if (bytes.length > bodyEnd) throw new Error("the server sent more than one reply to one request");
  return { status, head, body: bytes.toString("utf8", bodyStart, bodyEnd) };
}

/** The body without the marks between its chunks; undefined until the last has come. */
function readChunks(bytes: Buffer, start: number): string | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ;) {
    const sizeEnd = bytes.indexOf(lineEnd, at);
    if (sizeEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, sizeEnd), 16);
    const chunkStart = sizeEnd + lineEnd.length;
    at = chunkStart + size + lineEnd.length;
    if (bytes.length < at) return undefined;
    if (size === 0) return Buffer.concat(chunks).toString();
    chunks.push(bytes.subarray(chunkStart, chunkStart + size));
  }
}

function bodyLength(head: string, status: number): number {
  const length = headerIn(head, "content-length");
  if (length !== undefined) return Number(length);
  if (status === 204) return 0;
  throw new Error(`a reply without Content-Length cannot be read here:\n${head}`);
}

function headerIn(head: string, name: string): string | undefined {
  const lower = head.toLowerCase();
  const start = lower.indexOf(`\r\n${name}:`);
  if (start < 0) return undefined;
  const end = head.indexOf("\r\n", start + 2);
  return head.slice(start + name.length + 3, end < 0 ? undefined : end).trim();
}
