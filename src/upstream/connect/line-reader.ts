import { startTimer, type Timer } from "../../base/cancellation.ts";
import { formatAmount, formatCount } from "../../base/cut-text.ts";
import {
  upstreamLineHeadBytesMax,
  upstreamMessageBytesMax,
  upstreamRemainsBytesMax,
  upstreamRemainsBytesMin,
  upstreamRemainsMs,
  upstreamLogsPerSecondMax,
  upstreamStraysPerSecondMax,
} from "../../base/upstream-limits.ts";

const newline = 0x0a;
/** The buffer of an incomplete line grows by this factor. Untouched parts take no memory. */
const growth = 4;
const bufferBytesMin = 64 * 1024;
/** A buffer that has not grown beyond this size is reused for the next line. */
const keptBytesMax = 256 * 1024;

/** Receives each line in the order of arrival. Must not throw. */
export interface LineEvents {
  /**
   * The bytes are reused for another line after this returns.
   * @param release frees their memory before that; they must not be used afterwards
   */
  onLine(bytes: Uint8Array, release: () => void): void;
  /** The beginning of a line that exceeds the limit; the rest is dropped. */
  onTooLong(head: Uint8Array): void;
  /** Whether to drop the line between these two offsets silently. */
  isUnwanted(bytes: Uint8Array, start: number, end: number): boolean;
}

/**
 * Cuts a server's output into lines, in bounded memory, however it is chunked. For a line above the limit it delivers
 * the head, which may contain its id (CA13).
 */
export class LineReader {
  readonly #events: LineEvents;
  readonly #bytesMax: number;
  #buffer = new Uint8Array(0);
  /** Bytes of the buffer that are in use. */
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

  /** Delivers the lines that `chunk` completes. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#finish(chunk, start, end);
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The text after the last newline of an output that has ended is a line too. */
  end(): void {
    if (this.#length > 0) this.#tellKept();
  }

  /** Takes the last piece of a line. */
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

/** The memory belongs to the sender of the chunk. */
const notOurs = (): void => {};

/** Frees unused memory. The collector would only run when several times as much waits for it. */
function free(bytes: Uint8Array<ArrayBuffer>): void {
  bytes.buffer.transfer(0);
}

const decoder = new TextDecoder();
/** Strings are skipped as a whole, so that an `"id":` inside of one is not found. */
const part = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/gs;

/**
 * The id of the request that a message answers, when only its beginning is known: the number under `id` in the
 * outermost object, since scorpiox-code's ids are numbers. `none` for a message with a `method`: its id is the server's
 * own. Undefined when neither is found.
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
    // The number may continue after the head: it is only used when something follows.
    const value = parts.length > index + 3 ? (parts[index + 2] ?? "") : "";
    if (text === '"id"' && /^\d+$/.test(value)) id ??= Number(value);
  }
  return id;
}

/** Output that a server may write without limit: log messages, and lines that are not messages. */
export type Chatter = "logs" | "strays";

const kinds: Readonly<Record<Chatter, { readonly perSecondMax: number; readonly noun: string }>> = {
  logs: { perSecondMax: upstreamLogsPerSecondMax, noun: "log message" },
  strays: { perSecondMax: upstreamStraysPerSecondMax, noun: "stray line" },
};

const encoder = new TextEncoder();
/** Every library begins a log message like this: no long or nested value precedes its method. */
const logBeginning =
  /^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:\s*"notifications\/message"/;

/**
 * Limits the chatter of one connection that passes in a second (IS2). Lines above the limit are recognized by their
 * first bytes and never decoded: a gigabyte of them takes no memory.
 */
export class FloodGate {
  readonly #tell: (text: string) => void;
  readonly #passed: Record<Chatter, number> = { logs: 0, strays: 0 };
  readonly #leftOut: Record<Chatter, number> = { logs: 0, strays: 0 };
  /** More has come than may pass within this second: only then a line can be too much. */
  #isFlood = false;
  /** The beginning of this server's log messages, once it floods. */
  #logBytes = new Uint8Array(0);
  #timer: Timer | undefined;

  /** @param tell receives a sentence with the number of dropped lines, at most once a second */
  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  /** Whether the line between these two offsets is excess chatter, by its bytes alone. */
  isTooMuch(bytes: Uint8Array, start: number, end: number): boolean {
    if (!this.#isFlood) return false;
    const kind = this.#kindOf(bytes, start, end);
    return kind !== undefined && this.#isFull(kind) && !this.mayPass(kind);
  }

  /**
   * Whether a line that was read may pass.
   * @param line its text, from which later lines are recognized
   */
  mayPass(kind: Chatter, line = ""): boolean {
    this.#timer ??= startTimer(1_000, () => this.end());
    if (!this.#isFull(kind)) {
      this.#passed[kind] += 1;
      return true;
    }
    this.#isFlood = true;
    this.#leftOut[kind] += 1;
    const beginning = kind === "logs" ? logBeginning.exec(line) : null;
    if (beginning !== null) this.#logBytes = encoder.encode(beginning[0]);
    return false;
  }

  /** Ends a second, or the connection: reports the number of dropped lines. */
  end(): void {
    this.#timer?.stop();
    this.#timer = undefined;
    this.#isFlood = false;
    for (const kind of ["logs", "strays"] as const) {
      const count = this.#leftOut[kind];
      this.#passed[kind] = 0;
      this.#leftOut[kind] = 0;
      if (count === 0) continue;
      const { noun, perSecondMax } = kinds[kind];
      const limit = `more than ${formatCount(perSecondMax)} came within a second`;
      this.#tell(`${formatAmount(count, noun)} left out here: ${limit}.`);
    }
  }

  #isFull(kind: Chatter): boolean {
    return this.#passed[kind] >= kinds[kind].perSecondMax;
  }

  #kindOf(bytes: Uint8Array, start: number, end: number): Chatter | undefined {
    if (!mayBeMessage(bytes[start] ?? 0)) return "strays";
    const known = this.#logBytes;
    if (known.length === 0 || end - start < known.length) return undefined;
    for (let at = 0; at < known.length; at += 1) {
      if (bytes[start + at] !== known[at]) return undefined;
    }
    return "logs";
  }
}

/** Whether an object or array may begin here: at its bracket, at a blank, or at a UTF-8 byte order mark. */
function mayBeMessage(first: number): boolean {
  const isBlank = first === 0x20 || (first >= 0x09 && first <= 0x0d);
  return first === 0x7b || first === 0x5b || isBlank || first >= 0x80;
}

let bytes = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let isDue = false;

/**
 * Notes the amount of data that was read from servers: from time to time a collection returns its memory to the system.
 * By itself the runtime waits until as much again is in use.
 */
export function noteRead(messageBytes: number): void {
  bytes += messageBytes;
  if (bytes >= upstreamRemainsBytesMin) timer ??= setTimeout(collect, upstreamRemainsMs);
  if (bytes < upstreamRemainsBytesMax || isDue) return;
  isDue = true;
  // After the reader has released the text.
  queueMicrotask(collect);
}

function collect(): void {
  clearTimeout(timer);
  timer = undefined;
  isDue = false;
  bytes = 0;
  // In a Worker nobody else waits. The thread of the hub is everybody's: most of the work is done beside it then, and the memory
  // comes back a little later.
  Bun.gc(!Bun.isMainThread);
}
