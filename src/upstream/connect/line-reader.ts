import {
  upstreamLineHeadBytesMax,
  upstreamMessageBytesMax,
  upstreamRemainsBytesMax,
  upstreamRemainsBytesMin,
  upstreamRemainsMs,
} from "../../base/upstream-limits.ts";

let bytes = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let isDue = false;

/**
 * So much was read from servers: what it was made into is given back to the system from time to time. Left alone the runtime
 * waits until as much again is in use.
 */
export function noteRead(messageBytes: number): void {
  bytes += messageBytes;
  if (bytes >= upstreamRemainsBytesMin) timer ??= setTimeout(collect, upstreamRemainsMs);
  if (bytes < upstreamRemainsBytesMax || isDue) return;
  isDue = true;
  // When whoever has read it has let go of its text.
  queueMicrotask(collect);
}

function collect(): void {
  clearTimeout(timer);
  timer = undefined;
  isDue = false;
  bytes = 0;
  Bun.gc(true);
}

const newline = 0x0a;
/** The buffer of a line whose end has not come grows by this factor. What was not written to takes no memory. */
const growth = 4;
const bufferBytesMin = 64 * 1024;
/** A buffer that has not grown beyond this is used for the next line too. */
const keptBytesMax = 256 * 1024;

/** Told of each line in the order of arrival. Must not throw. */
export interface LineEvents {
  /**
   * The bytes are another line's when this returns.
   * @param release gives their memory back before that; there are none of them any more then
   */
  onLine(bytes: Uint8Array, release: () => void): void;
  /** The beginning of a line that has passed the limit; the rest is dropped. */
  onTooLong(head: Uint8Array): void;
  /** Whether the line between these two places is to be dropped without being told. */
  isUnwanted(bytes: Uint8Array, start: number, end: number): boolean;
}

/**
 * Cuts what a server writes into lines, in bounded memory, however it is divided. Of a line above the limit the head is given,
 * in which its id may be found (CA13).
 */
export class LineReader {
  readonly #events: LineEvents;
  readonly #bytesMax: number;
  #buffer = new Uint8Array(0);
  /** Bytes of the buffer that are taken. */
  #length = 0;
  #isDropping = false;
  readonly #release = (): void => {
    free(this.#buffer);
    this.#buffer = new Uint8Array(0);
  };

  constructor(events: LineEvents, bytesMax: number = upstreamMessageBytesMax) {
    this.#events = events;
    this.#bytesMax = bytesMax;
  }

  /** Tells of the lines that `chunk` completes. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#finish(chunk, start, end);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** What stands after the last newline of an output that has ended is a line too. */
  end(): void {
    if (this.#length > 0) this.#tellKept();
  }

  /** The last piece of a line. */
  #finish(chunk: Uint8Array, start: number, end: number): void {
    const isWhole = this.#length === 0 && end - start <= this.#bytesMax;
    if (isWhole && !this.#isDropping) {
      if (!this.#events.isUnwanted(chunk, start, end)) {
        this.#events.onLine(chunk.subarray(start, end), notOurs);
      }
      return;
    }
    this.#keep(chunk.subarray(start, end));
    if (!this.#isDropping) this.#tellKept();
    this.#isDropping = false;
  }

  #tellKept(): void {
    const bytes = this.#buffer.subarray(0, this.#length);
    if (!this.#events.isUnwanted(bytes, 0, bytes.length)) {
      this.#events.onLine(bytes, this.#release);
    }
    this.#forget();
  }

  #keep(bytes: Uint8Array): void {
    if (this.#isDropping || bytes.length === 0) return;
    if (this.#length + bytes.length <= this.#bytesMax) return this.#append(bytes);
    this.#isDropping = true;
    const missing = upstreamLineHeadBytesMax - this.#length;
    if (missing > 0) this.#append(bytes.subarray(0, missing));
    const head = this.#buffer.slice(0, Math.min(this.#length, upstreamLineHeadBytesMax));
    this.#forget();
    this.#events.onTooLong(head);
  }

  #append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
    noteRead(bytes.length);
  }

  #grow(length: number): void {
    let size = bufferBytesMin;
    while (size < length) size *= growth;
    const most = Math.max(this.#bytesMax, upstreamLineHeadBytesMax);
    const grown = new Uint8Array(Math.min(size, most));
    grown.set(this.#buffer.subarray(0, this.#length));
    this.#release();
    this.#buffer = grown;
  }

  #forget(): void {
    this.#length = 0;
    if (this.#buffer.length > keptBytesMax) this.#release();
  }
}

/** Memory of whoever gave the chunk. */
const notOurs = (): void => {};

/** Gives memory back that nobody looks at any more. The collector would come when several times as much waits for it. */
function free(bytes: Uint8Array<ArrayBuffer>): void {
  bytes.buffer.transfer(0);
}

const decoder = new TextDecoder();
/** Strings are skipped as wholes, so that an `"id":` inside of one is not found. */
const part = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/gs;

/**
 * What a message answers of which only the beginning is known: the number under `id` in the outermost object, since ids
 * of ours are numbers. `none` for one that has a `method`: its id is the server's own. Undefined when that cannot be told.
 */
export function idOfHead(head: Uint8Array): number | "none" | undefined {
  const parts = decoder.decode(head).match(part) ?? [];
  let depth = 0;
  let id: number | undefined;
  for (const [index, text] of parts.entries()) {
    if (text === "{" || text === "[") depth += 1;
    else if (text === "}" || text === "]") depth -= 1;
    if (depth !== 1 || parts[index + 1] !== ":") continue;
    if (text === '"method"') return "none";
    // The number may go on after the head: it counts only when something follows.
    const value = parts.length > index + 3 ? (parts[index + 2] ?? "") : "";
    if (text === '"id"' && /^\d+$/.test(value)) id ??= Number(value);
  }
  return id;
}
