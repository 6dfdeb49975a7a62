import { resultBytesPerChar } from "../base/limits.ts";
import type { LinearPattern } from "../base/linear-pattern.ts";

/** Returns the output after an absolute offset, and the offset at which it ends. */
export type SavedSource = (
  from: number,
) => Promise<{ readonly bytes: Uint8Array; readonly end: number }>;

/** A request for a part of a saved output. */
export interface SavedWish {
  readonly until: LinearPattern | undefined;
  readonly filter: LinearPattern | undefined;
  /** Characters that may be shown. */
  readonly charsMax: number;
  /** On the clock of `performance.now()`: nothing is looked for any longer. */
  readonly deadline: number;
}

export interface SavedReading {
  readonly body: string;
  /** Absolute offset after the part that was read. */
  readonly to: number;
  readonly end: number;
  /** Bytes before `body` that were passed over on the way to a line that matches `until`. */
  readonly passedBytes: number;
  /** Null when nothing was waited for. */
  readonly matched: boolean | null;
}

/**
 * The next page of the output: as many lines as may be shown. With `until` up to the first line that matches, however
 * far that is; when there is none, the next page all the same. With `filter` matching lines only.
 */
export async function readSaved(
  source: SavedSource,
  from: number,
  wish: SavedWish,
): Promise<SavedReading> {
  const found = await readPage(source, from, wish);
  if (found.matched !== false || found.passedBytes === 0) return found;
  return { ...(await readPage(source, from, { ...wish, until: undefined })), matched: false };
}

async function readPage(source: SavedSource, from: number, wish: SavedWish): Promise<SavedReading> {
  const { until, filter, charsMax, deadline } = wish;
  const page = new Page(charsMax);
  let to = from;
  for (;;) {
    const { bytes, end } = await source(to);
    const reading = (matched: boolean): SavedReading => {
      const { body, passedBytes } = page;
      return { body, to, end, passedBytes, matched: until === undefined ? null : matched };
    };
    for (const line of linesOf(bytes, Math.floor(charsMax / 2))) {
      const words = line.text.replace(/\n$/, "");
      const isShown = filter === undefined || filter.test(words);
      if (isShown && until === undefined && !page.fits(line)) return reading(false);
      if (isShown) page.add(line);
      to += line.bytes;
      if (until?.test(words) === true) return reading(true);
    }
    if (bytes.length === 0 || to >= end || performance.now() > deadline) return reading(false);
  }
}

interface Line {
  /** With its newline, if it has one; without terminal colours. */
  readonly text: string;
  /** In the output. */
  readonly bytes: number;
}

/** Lines within the bounds of one reply; the oldest are dropped when there is no room. */
class Page {
  readonly #charsMax: number;
  readonly #lines: Line[] = [];
  #first = 0;
  #chars = 0;
  #textBytes = 0;
  #passedBytes = 0;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  get body(): string {
    return this.#lines
      .slice(this.#first)
      .map(({ text }) => text)
      .join("");
  }

  get passedBytes(): number {
    return this.#passedBytes;
  }

  fits({ text }: Line): boolean {
    if (this.#chars === 0) return true;
    const bytesMax = this.#charsMax * resultBytesPerChar;
    const isWithin = this.#chars + text.length <= this.#charsMax;
    return isWithin && this.#textBytes + Buffer.byteLength(text) <= bytesMax;
  }

  add(line: Line): void {
    while (!this.fits(line)) this.#dropFirst();
    this.#lines.push(line);
    this.#count(line, 1);
  }

  #dropFirst(): void {
    const line = this.#lines[this.#first];
    if (line === undefined) return;
    this.#first += 1;
    this.#passedBytes += line.bytes;
    this.#count(line, -1);
    if (this.#first < 10_000) return;
    this.#lines.splice(0, this.#first);
    this.#first = 0;
  }

  #count({ text }: Line, sign: 1 | -1): void {
    this.#chars += sign * text.length;
    this.#textBytes += sign * Buffer.byteLength(text);
  }
}

const newline = 10;

/** A line that is longer than a page may show is given in parts, between two characters. */
function* linesOf(bytes: Uint8Array, bytesMax: number): Generator<Line> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < buffer.length;) {
    const newlineAt = buffer.indexOf(newline, at);
    const lineEnd = newlineAt === -1 ? buffer.length : newlineAt + 1;
    const end = lineEnd - at <= bytesMax ? lineEnd : characterBorder(buffer, at, at + bytesMax);
    yield { text: Bun.stripANSI(buffer.toString("utf8", at, end)), bytes: end - at };
    at = end;
  }
}

/** At or a little before `at`, where no character of UTF-8 is cut. */
function characterBorder(bytes: Uint8Array, from: number, at: number): number {
  for (let border = at; border > Math.max(from, at - 4); border--) {
    if (((bytes[border] ?? 0) & 0xc0) !== 0x80) return border;
  }
  return at;
}
