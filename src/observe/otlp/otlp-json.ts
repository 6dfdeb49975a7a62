import { product } from "../../base/product.ts";
import type { HistogramPoint, Labels, MetricFamily } from "../metrics/family.ts";

/**
 * The JSON form of OTLP: names in lowerCamelCase, ids in hex, 64-bit integers as texts, enums as numbers (opentelemetry-proto 1.x,
 * "OTLP/HTTP, JSON Protobuf Encoding").
 */
interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
}

export type AttributeValue = string | number | undefined;

export interface Span extends SpanLink {
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  /** Attributes of the span; undefined ones are left out. */
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly isError: boolean;
  readonly links: readonly SpanLink[];
}

type Attributes = Readonly<Record<string, AttributeValue>>;

const serverKind = 2;
const errorStatus = 2;
const cumulative = 2;
const scope = { name: product.name, version: product.version };

/** The body of a request to `/v1/traces`. */
export function encodeTraces(resource: Attributes, spans: readonly Span[]): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope, spans: spans.map(encodeSpan) }],
      },
    ],
  });
}

function encodeSpan(span: Span): unknown {
  const { traceId, spanId, parentSpanId, name, startMs, endMs, attributes, isError, links } = span;
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: serverKind,
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(endMs),
    attributes: encodeAttributes(attributes),
    status: isError ? { code: errorStatus } : {},
    ...(links.length === 0 ? {} : { links }),
  };
}

/** The body of a request to `/v1/metrics`. @param startMs when the counters were zero */
export function encodeMetrics(
  resource: Attributes,
  families: readonly MetricFamily[],
  startMs: number,
  nowMs: number,
): string {
  const times = { startTimeUnixNano: nanos(startMs), timeUnixNano: nanos(nowMs) };
  return JSON.stringify({
    resourceMetrics: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeMetrics: [{ scope, metrics: families.map((family) => encodeFamily(family, times)) }],
      },
    ],
  });
}

type Times = Readonly<Record<"startTimeUnixNano" | "timeUnixNano", string>>;

function encodeFamily(family: MetricFamily, times: Times): unknown {
  const { name, help: description, type, bounds = [] } = family.spec;
  if (!("numbers" in family)) {
    const dataPoints = family.histograms.map((point) => encodeHistogram(point, bounds, times));
    const histogram = { aggregationTemporality: cumulative, dataPoints };
    return { name, description, histogram };
  }
  const dataPoints = family.numbers.map(({ labels, value }) => ({
    attributes: encodeAttributes(labels),
    ...times,
    asDouble: value,
  }));
  return type === "gauge"
    ? { name, description, gauge: { dataPoints } }
    : {
        name,
        description,
        sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints },
      };
}

function encodeHistogram(
  { labels, counts, sum }: HistogramPoint,
  explicitBounds: readonly number[],
  times: Times,
): unknown {
  const count = counts.reduce((total, each) => total + each, 0);
  return {
    attributes: encodeAttributes(labels),
    ...times,
    count: String(count),
    sum,
    bucketCounts: counts.map(String),
    explicitBounds,
  };
}

function encodeAttributes(attributes: Attributes | Labels): readonly unknown[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [
      {
        key,
        value: typeof value === "string" ? { stringValue: value.toWellFormed() } : intValue(value),
      },
    ];
  });
}

function intValue(value: number): unknown {
  return { intValue: String(Math.round(value)) };
}

function nanos(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}
