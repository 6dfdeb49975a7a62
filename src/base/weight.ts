import { heavyPageWeight, jsonLookedAtCharsMin, jsonValuesMax } from "./limits.ts";
import { upstreamMessageDepthMax, upstreamMessageValuesMax } from "./upstream-limits.ts";

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
/** So much of a text is looked at byte by byte: a search for each of many quotes in it would take ten times as long. */
const nearBytes = 16;

/** How much one JSON text may have. */
export interface WeightBounds {
  readonly depthMax: number;
  readonly valuesMax: number;
}

const upstreamBounds: WeightBounds = {
  depthMax: upstreamMessageDepthMax,
  valuesMax: upstreamMessageValuesMax,
};

/**
 * The cost of a JSON text as objects, computed before it is parsed: five million times `{}` fit into 16 MiB and take a
 * gigabyte, and parsing endures a depth that printing does not. Counts objects, lists, items between commas, and levels; a text
 * that is not JSON has some weight too. Stops at the limit.
 */
export class JsonWeight {
  readonly #bounds: WeightBounds;
  #values = 0;
  #depth = 0;
  #deepest = 0;
  #isInText = false;
  /** The last piece ended in a text, with a backslash that takes the first character of the next one. */
  #isEscaped = false;

  constructor(bounds: WeightBounds = upstreamBounds) {
    this.#bounds = bounds;
  }

  /** The exceeded limit, in the middle of a sentence; undefined when the text may be parsed. */
  get excess(): string | undefined {
    const { depthMax, valuesMax } = this.#bounds;
    if (this.#deepest > depthMax) return `${depthMax} levels`;
    return this.#values > valuesMax ? `${valuesMax} values` : undefined;
  }

  /** The next piece of the text. */
  add(bytes: Uint8Array): void {
    const { depthMax, valuesMax } = this.#bounds;
    let values = this.#values;
    let depth = this.#depth;
    let deepest = this.#deepest;
    for (let at = this.#isInText ? this.#endOfText(bytes, 0) : 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) at = this.#endOfText(bytes, at + 1) - 1;
      else if (byte === comma) {
        values += 1;
        if (values > valuesMax) break;
      }
      // `[` and `{`, `]` and `}` differ in one bit from each other.
      else if ((byte | 0x20) === 0x7b) {
        values += 1;
        depth += 1;
        if (depth > deepest) deepest = depth;
        if (values > valuesMax || deepest > depthMax) break;
      } else if ((byte | 0x20) === 0x7d) depth -= 1;
    }
    this.#values = values;
    this.#depth = depth;
    this.#deepest = deepest;
  }

  /** Another text begins. */
  reset(): void {
    this.#values = 0;
    this.#depth = 0;
    this.#deepest = 0;
    this.#isInText = false;
    this.#isEscaped = false;
  }

  /** Behind the quote that ends the text from `start` on, or behind the piece. */
  #endOfText(bytes: Uint8Array, start: number): number {
    let at = this.#isEscaped ? start + 1 : start;
    let far = at + nearBytes;
    while (at < bytes.length) {
      if (at < far) {
        const byte = bytes[at];
        if (byte === quote) return this.#leaveText(at + 1);
        at += byte === backslash ? 2 : 1;
        continue;
      }
      const found = bytes.indexOf(quote, at);
      const end = found === -1 ? bytes.length : found;
      let before = end;
      while (before > at && bytes[before - 1] === backslash) before -= 1;
      const isEscaped = (end - before) % 2 === 1;
      if (found !== -1 && !isEscaped) return this.#leaveText(end + 1);
      at = isEscaped ? end + 1 : end;
      far = at + nearBytes;
    }
    this.#isInText = true;
    this.#isEscaped = at > bytes.length;
    return bytes.length;
  }

  #leaveText(end: number): number {
    this.#isInText = false;
    this.#isEscaped = false;
    return end;
  }
}

/** The exceeded limit of a whole text. */
export function excessOf(
  json: Uint8Array,
  bounds: WeightBounds = upstreamBounds,
): string | undefined {
  // Each value takes a byte, and each level, whose end belongs to it.
  if (json.length <= Math.min(bounds.depthMax, bounds.valuesMax)) return undefined;
  const weight = new JsonWeight(bounds);
  weight.add(json);
  return weight.excess;
}

/** Whether a text of a page or an answer has more values than are worth their memory. It may be as deep as it likes. */
export function isHeavyJson(text: string): boolean {
  if (text.length <= jsonLookedAtCharsMin) return false;
  const bounds = { depthMax: Number.POSITIVE_INFINITY, valuesMax: jsonValuesMax };
  return excessOf(Buffer.from(text), bounds) !== undefined;
}

/**
 * A value that is already JSON text: what passes it on splices it in and neither parses nor prints it again. For what
 * is large and not looked at on the way, such as a page of ten megabytes, which would hold its thread for 50 ms.
 */
export class JsonText {
  constructor(readonly json: string) {}
}

/** Bytes of tree for each element, as against those of its text. */
const elementWeight = 40;
/** Shorter texts cannot weigh so much and are not checked. */
const charsMin = heavyPageWeight / elementWeight;

/** Whether reading a page, as its text or the JSON of it, takes so much memory that few may be read at a time. */
export function isHeavyPage(text: string): boolean {
  if (text.length > heavyPageWeight) return true;
  if (text.length < charsMin) return false;
  let weight = text.length;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) {
    weight += elementWeight;
    if (weight > heavyPageWeight) return true;
  }
  return false;
}
