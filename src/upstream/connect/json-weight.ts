import { upstreamMessageDepthMax, upstreamMessageValuesMax } from "../../base/upstream-limits.ts";

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/**
 * What a JSON text would cost as objects, known before it is parsed: five million times `{}` fit into 16 MiB and take a
 * gigabyte. Counts objects, lists, what stands between commas, and levels; what is no JSON has some weight too.
 */
export class JsonWeight {
  #values = 0;
  #depth = 0;
  #deepest = 0;
  #isInText = false;
  #isEscaped = false;

  /** What weighs too much, in the middle of a sentence; undefined when it may be parsed. */
  get excess(): string | undefined {
    if (this.#deepest > upstreamMessageDepthMax) return `${upstreamMessageDepthMax} levels`;
    return this.#values > upstreamMessageValuesMax
      ? `${upstreamMessageValuesMax} values`
      : undefined;
  }

  /** The next piece of the text. */
  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#isInText) at = this.#endOfText(bytes, at);
      else this.#note(bytes[at] ?? 0);
    }
  }

  /** Another text begins. */
  reset(): void {
    this.#values = 0;
    this.#depth = 0;
    this.#deepest = 0;
    this.#isInText = false;
    this.#isEscaped = false;
  }

  #note(byte: number): void {
    if (byte === quote) this.#isInText = true;
    else if (byte === comma) this.#values += 1;
    // `[` and `{`, `]` and `}` differ in one bit from each other.
    else if ((byte | 0x20) === 0x7b) {
      this.#values += 1;
      this.#depth += 1;
      if (this.#depth > this.#deepest) this.#deepest = this.#depth;
    } else if ((byte | 0x20) === 0x7d) this.#depth -= 1;
  }

  /** Where the text ends that `at` is in: at its quote, or with the piece. */
  #endOfText(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) {
        this.#isInText = false;
        return at;
      }
    }
    return bytes.length;
  }
}

/** What is too much in a whole message. */
export function excessOf(message: Uint8Array): string | undefined {
  // Each level and each value takes a byte.
  if (message.length <= upstreamMessageDepthMax) return undefined;
  const weight = new JsonWeight();
  weight.add(message);
  return weight.excess;
}
