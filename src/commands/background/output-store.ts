import { outputHeadBytes, outputWindowBytes } from "../../base/limits.ts";

/** Bytes that are still held, with their place in the whole output. */
export interface OutputSegment {
  /** Absolute offset of the first byte. */
  readonly from: number;
  readonly bytes: Uint8Array;
}

export interface OutputStoreSizes {
  readonly headBytes: number;
  readonly windowBytes: number;
}

/** The ring starts this small and doubles, since most outputs are short. */
const ringBytesFirst = 16 * 1024;

/**
 * A bounded window on an output of any length: its first bytes, then a ring of the newest, addressed by
 * absolute offsets. Bytes between the two are dropped, and their number is recorded.
 */
export class OutputStore {
  readonly #headBytes: number;
  readonly #ringBytesMax: number;
  #head: Uint8Array = new Uint8Array(0);
  #ring: Uint8Array = new Uint8Array(0);
  #end = 0;

  constructor(
    sizes: OutputStoreSizes = { headBytes: outputHeadBytes, windowBytes: outputWindowBytes },
  ) {
    this.#headBytes = sizes.headBytes;
    this.#ringBytesMax = sizes.windowBytes - sizes.headBytes;
  }

  /** Bytes written so far, dropped ones included: the offset of the next byte. */
  get end(): number {
    return this.#end;
  }

  /** Bytes that are no longer held. */
  get droppedBytes(): number {
    return this.#ringFrom - Math.min(this.#end, this.#headBytes);
  }

  append(chunk: Uint8Array): void {
    const room = Math.max(0, this.#headBytes - this.#end);
    const headPart = chunk.subarray(0, room);
    if (headPart.length > 0) this.#appendHead(headPart);
    const ringPart = chunk.subarray(headPart.length);
    if (ringPart.length > 0) this.#appendRing(ringPart);
  }

  /** The stored bytes from `from` (an absolute offset) on, oldest first: at most three segments. */
  read(from: number): OutputSegment[] {
    const segments: OutputSegment[] = [];
    const headEnd = Math.min(this.#end, this.#headBytes);
    if (from < headEnd) segments.push({ from, bytes: this.#head.slice(from, headEnd) });
    const ringFrom = Math.max(from, this.#ringFrom);
    if (ringFrom < this.#end) segments.push({ from: ringFrom, bytes: this.#readRing(ringFrom) });
    return segments;
  }

  /** Gives back memory that an ended output no longer grows into. */
  compact(): void {
    const headEnd = Math.min(this.#end, this.#headBytes);
    if (this.#head.length > headEnd) this.#head = this.#head.slice(0, headEnd);
    const held = this.#end - headEnd;
    // One that holds less than its size has not wrapped: its bytes are in order from its start.
    if (this.#ring.length > held) this.#ring = this.#ring.slice(0, held);
  }

  get #ringFrom(): number {
    return Math.max(Math.min(this.#end, this.#headBytes), this.#end - this.#ring.length);
  }

  #appendHead(bytes: Uint8Array): void {
    const needed = this.#end + bytes.length;
    if (needed > this.#head.length) {
      const grown = new Uint8Array(
        Math.min(this.#headBytes, Math.max(needed, this.#head.length * 2, 1024)),
      );
      grown.set(this.#head.subarray(0, this.#end));
      this.#head = grown;
    }
    this.#head.set(bytes, this.#end);
    this.#end = needed;
  }

  #appendRing(chunk: Uint8Array): void {
    this.#growRing(chunk.length);
    const size = this.#ring.length;
    if (size === 0) {
      this.#end += chunk.length;
      return;
    }
    // Only the newest bytes of a chunk that is longer than the ring will be held.
    const skipped = Math.max(0, chunk.length - size);
    const bytes = chunk.subarray(skipped);
    const place = (this.#end - this.#headBytes + skipped) % size;
    const first = bytes.subarray(0, size - place);
    this.#ring.set(first, place);
    this.#ring.set(bytes.subarray(first.length), 0);
    this.#end += chunk.length;
  }

  /** Doubles the ring while it still holds everything after the head, up to its bound. */
  #growRing(chunkBytes: number): void {
    const held = this.#end - this.#headBytes;
    const size = this.#ring.length;
    if (size === this.#ringBytesMax || held + chunkBytes <= size) return;
    let grown = Math.max(size, ringBytesFirst);
    while (grown < held + chunkBytes) grown *= 2;
    const ring = new Uint8Array(Math.min(grown, this.#ringBytesMax));
    // Until it has its full size nothing has wrapped: the bytes are in order.
    ring.set(this.#ring.subarray(0, held));
    this.#ring = ring;
  }

  #readRing(from: number): Uint8Array {
    const size = this.#ring.length;
    const length = this.#end - from;
    const place = (from - this.#headBytes) % size;
    const bytes = new Uint8Array(length);
    const first = this.#ring.subarray(place, Math.min(size, place + length));
    bytes.set(first);
    bytes.set(this.#ring.subarray(0, length - first.length), first.length);
    return bytes;
  }
}
