/** The place of a span in a trace, as W3C Trace Context writes it. */
export interface TraceContext {
  /** 32 lowercase hex digits. */
  readonly traceId: string;
  /** Of the span, 16 lowercase hex digits. */
  readonly spanId: string;
  /** The caller records its trace; a callee does the same. */
  readonly isSampled: boolean;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;
/** The only length that version 00 may have; a later version may be longer, and its first fields are the same. */
const charsMax = 512;

/** Reads a `traceparent`; undefined for anything that is not one (W3C Trace Context, "traceparent Header"). */
export function parseTraceparent(value: unknown): TraceContext | undefined {
  if (typeof value !== "string" || value.length > charsMax) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", rest] = pattern.exec(value) ?? [];
  if (version === undefined || version === "ff") return undefined;
  if (version === "00" && rest !== undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

export function encodeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}
