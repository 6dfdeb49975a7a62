const MIB = 1024 * 1024;

/**
 * Bytes of one text on a link. An upstream server's message has up to 16 MiB (`upstreamMessageBytesMax`) and is sixfold at
 * worst as a JSON string in another message; the rest is for the JSON around it.
 */
export const linkFrameBytesMax = 128 * MIB;

/** Why bytes cannot be read as frames. Everything behind them is lost. */
export type FrameFault = "too-long" | "not-text";

const headBytes = 4;

/** A text as it crosses a link: the number of its bytes, least significant first, and its UTF-8. Undefined when too long. */
export function frameOf(text: string): Uint8Array | undefined {
  if (text.length <= shortCharsMax) {
    const frame = encoder.encode(headRoom + text);
    setLength(frame, frame.length - headBytes);
    return frame;
  }
  if (Buffer.byteLength(text) > linkFrameBytesMax) return undefined;
  // For long texts with letters beyond ASCII `write` and `encode` take up to ten times as long.
  const bytes = Buffer.from(text);
  const frame = Buffer.allocUnsafe(headBytes + bytes.length);
  frame.set(bytes, headBytes);
  setLength(frame, bytes.length);
  return frame;
}

const encoder = new TextEncoder();
/** A character of one byte for each byte of the head. */
const headRoom = "\0".repeat(headBytes);
const shortCharsMax = 16 * 1024;

function setLength(frame: Uint8Array, length: number): void {
  new DataView(frame.buffer, frame.byteOffset).setUint32(0, length, true);
}

/** First size of the buffer for a frame whose end has not come yet. */
const bufferBytesStart = 64 * 1024;
/** An announced length is believed up to here; the buffer of a longer frame grows with the bytes that come. */
const believedBytesMax = 4 * MIB;

/** Cuts bytes into the texts of frames, in memory bounded by the bytes that have really come. */
export class FrameReader {
  /** The largest size of the texts from now on. */
  bytesMax: number;
  /** The bytes of a frame whose end has not come yet. */
  #part = Buffer.alloc(0);
  #partLength = 0;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /**
   * Calls `onText` for each text that the chunk completes, until that returns false.
   * @returns what is wrong with the bytes; they are not to be read any further then
   */
  push(chunk: Uint8Array, onText: (text: string) => boolean): FrameFault | undefined {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (;;) {
      if (this.#partLength > 0) rest = this.#complete(rest);
      // A frame that is whole in the chunk is read in place.
      const isCarried = this.#partLength > 0;
      const bytes = isCarried ? this.#part.subarray(0, this.#partLength) : rest;
      const length = lengthIn(bytes);
      if (length !== undefined && length > this.bytesMax) return "too-long";
      if (length === undefined || bytes.length < headBytes + length) {
        if (!isCarried) this.#keep(rest);
        return undefined;
      }
      const text = this.#decode(bytes.subarray(headBytes, headBytes + length));
      if (text === undefined) return "not-text";
      if (isCarried) this.#forget();
      else rest = rest.subarray(headBytes + length);
      if (!onText(text)) return undefined;
    }
  }

  /** Adds to the part what it lacks: its head first, which says how much else. Returns the bytes behind it. */
  #complete(bytes: Buffer): Buffer {
    let rest = bytes;
    for (let missing = this.#missing(); missing > 0 && rest.length > 0; missing = this.#missing()) {
      this.#keep(rest.subarray(0, missing));
      rest = rest.subarray(missing);
    }
    return rest;
  }

  #missing(): number {
    const length = lengthIn(this.#part.subarray(0, this.#partLength));
    return headBytes + (length ?? 0) - this.#partLength;
  }

  /** Undefined when it is not UTF-8. */
  #decode(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  /** A copy: the chunk may be written over. */
  #keep(bytes: Uint8Array): void {
    const wanted = this.#partLength + bytes.length;
    if (wanted > this.#part.length) {
      const announced = lengthIn(this.#part.subarray(0, this.#partLength)) ?? 0;
      const believed = Math.min(headBytes + announced, believedBytesMax, this.bytesMax);
      const larger = Buffer.allocUnsafe(
        Math.max(wanted, believed, this.#part.length * 2, bufferBytesStart),
      );
      this.#part.copy(larger, 0, 0, this.#partLength);
      this.#part = larger;
    }
    this.#part.set(bytes, this.#partLength);
    this.#partLength = wanted;
  }

  #forget(): void {
    this.#partLength = 0;
    if (this.#part.length > bufferBytesStart) this.#part = Buffer.alloc(0);
  }
}

function lengthIn(bytes: Buffer): number | undefined {
  return bytes.length < headBytes ? undefined : bytes.readUInt32LE(0);
}
