/** Both kinds of answers, as nearly all clients write them. */
const usual = "application/json, text/event-stream";

interface MediaRange {
  /** `type/subtype` in lower case; either may be `*`. */
  readonly type: string;
  readonly quality: number;
}

/**
 * Whether the client takes both kinds of answer to a POST, JSON and an event stream (docs/spec/modern.md#endpoint).
 * @param accept the header; null, which means anything (RFC 9110 section 12.5.1), is taken
 */
export function isAcceptable(accept: string | null): boolean {
  if (accept === null || accept === usual) return true;
  const ranges = readRanges(accept);
  return takes(ranges, "application", "json") && takes(ranges, "text", "event-stream");
}

/**
 * Whether the client takes an event stream as the answer to GET, which it has to say (docs/spec/legacy.md#streams).
 * @param accept the header, or null
 */
export function takesEventStream(accept: string | null): boolean {
  return accept !== null && takes(readRanges(accept), "text", "event-stream");
}

/**
 * Whether the client would rather have an event stream than JSON: it is named with the higher quality, or first.
 * @param accept the header, or null
 */
export function prefersEventStream(accept: string | null): boolean {
  if (accept === null || accept === usual) return false;
  const named = readRanges(accept).filter(({ type }) => isAnswerType(type));
  const [best] = named.toSorted((one, other) => other.quality - one.quality);
  return best?.type === "text/event-stream";
}

function isAnswerType(type: string): boolean {
  return type === "text/event-stream" || type === "application/json";
}

/** The most specific range decides; one with quality 0 is a refusal. */
function takes(ranges: readonly MediaRange[], type: string, subtype: string): boolean {
  for (const wanted of [`${type}/${subtype}`, `${type}/*`, "*/*"]) {
    const found = ranges.filter((range) => range.type === wanted);
    if (found.length > 0) return found.some((range) => range.quality > 0);
  }
  return false;
}

function readRanges(accept: string): readonly MediaRange[] {
  return accept.split(",").map((text) => {
    const [type = "", ...parameters] = text.split(";");
    return { type: type.trim().toLowerCase(), quality: readQuality(parameters) };
  });
}

/** 1 when it is not given; 0 when it is not a number. */
function readQuality(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=");
    if (name.trim().toLowerCase() === "q") return Number(value) || 0;
  }
  return 1;
}
