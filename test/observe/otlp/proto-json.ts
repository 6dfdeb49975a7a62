import { isObject } from "../../../src/base/values.ts";

/**
 * The JSON mapping of the messages of opentelemetry-proto 1.x that scorpiox-code sends. Each field has the form of its type; a field
 * that is not in its message is a fault, as it would be lost in a collector.
 */
type Form = (value: unknown, path: string) => readonly string[];
type Message = Readonly<Record<string, Form>>;

const fault = (path: string, value: unknown): string[] => [`${path}: ${JSON.stringify(value)}`];
const where =
  (isGood: (value: unknown) => boolean): Form =>
  (value, path) =>
    isGood(value) ? [] : fault(path, value);
const matches = (pattern: RegExp): Form =>
  where((value) => typeof value === "string" && pattern.test(value));

const text = where((value) => typeof value === "string" && value.isWellFormed());
const traceId = matches(/^(?!0{32})[0-9a-f]{32}$/);
const spanId = matches(/^(?!0{16})[0-9a-f]{16}$/);
/** 64-bit integers are texts. */
const uint64 = matches(/^(?:0|[1-9]\d{0,19})$/);
const int64 = matches(/^-?(?:0|[1-9]\d{0,18})$/);
const double = where((value) => typeof value === "number" && Number.isFinite(value));
/** Enums are numbers. */
const oneOf = (...values: readonly number[]): Form =>
  where((value) => typeof value === "number" && values.includes(value));
const bool = where((value) => typeof value === "boolean");

const list =
  (form: Form): Form =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => form(each, `${path}[${index}]`))
      : fault(path, value);

const message =
  (fields: Message, required: readonly string[] = []): Form =>
  (value, path) => {
    if (!isObject(value)) return fault(path, value);
    const missing = required.filter((name) => !Object.hasOwn(value, name));
    return [
      ...missing.map((name) => `${path}.${name} is missing`),
      ...Object.entries(value).flatMap(([name, member]) => {
        const form = Object.hasOwn(fields, name) ? fields[name] : undefined;
        return form === undefined
          ? [`${path}.${name} is unknown`]
          : form(member, `${path}.${name}`);
      }),
    ];
  };

const anyValue: Form = (value, path) => {
  const forms = { stringValue: text, intValue: int64, doubleValue: double, boolValue: bool };
  const faults = message(forms)(value, path);
  return isObject(value) && Object.keys(value).length !== 1 ? fault(path, value) : faults;
};
const attributes: Form = (value, path) => {
  const faults = list(message({ key: text, value: anyValue }, ["key", "value"]))(value, path);
  if (faults.length > 0 || !Array.isArray(value)) return faults;
  const keys = value.map((each: unknown) => (isObject(each) ? each.key : undefined));
  return new Set(keys).size === keys.length ? [] : [`${path} has a key twice`];
};
const scope = message({ name: text, version: text }, ["name"]);
const resource = message({ attributes });

const span = message(
  {
    traceId,
    spanId,
    parentSpanId: spanId,
    name: text,
    kind: oneOf(2),
    startTimeUnixNano: uint64,
    endTimeUnixNano: uint64,
    attributes,
    status: message({ code: oneOf(0, 1, 2), message: text }),
    links: list(message({ traceId, spanId }, ["traceId", "spanId"])),
  },
  ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"],
);

const times = { attributes, startTimeUnixNano: uint64, timeUnixNano: uint64 };
const numberPoints = list(message({ ...times, asDouble: double }, ["timeUnixNano", "asDouble"]));
const histogramPoint: Form = (value, path) => {
  const fields = {
    ...times,
    count: uint64,
    sum: double,
    bucketCounts: list(uint64),
    explicitBounds: list(double),
  };
  const faults = message(fields, ["timeUnixNano", "count"])(value, path);
  if (faults.length > 0 || !isObject(value)) return faults;
  const { bucketCounts, explicitBounds, count } = value;
  if (!Array.isArray(bucketCounts) || !Array.isArray(explicitBounds)) return fault(path, value);
  const sum = bucketCounts.reduce((total: number, each) => total + Number(each), 0);
  const agrees = bucketCounts.length === explicitBounds.length + 1 && sum === Number(count);
  return agrees ? [] : fault(path, value);
};
const temporality = { aggregationTemporality: oneOf(1, 2) };
const metric = message(
  {
    name: text,
    description: text,
    unit: text,
    gauge: message({ dataPoints: numberPoints }),
    sum: message({ ...temporality, isMonotonic: bool, dataPoints: numberPoints }),
    histogram: message({ ...temporality, dataPoints: list(histogramPoint) }),
  },
  ["name"],
);

const forms: Readonly<Record<string, Form>> = {
  "/v1/traces": message(
    {
      resourceSpans: list(
        message({ resource, scopeSpans: list(message({ scope, spans: list(span) })) }),
      ),
    },
    ["resourceSpans"],
  ),
  "/v1/metrics": message(
    {
      resourceMetrics: list(
        message({ resource, scopeMetrics: list(message({ scope, metrics: list(metric) })) }),
      ),
    },
    ["resourceMetrics"],
  ),
};

/** The faults of a request body; none when a collector would take all of it. */
export function faultsOf(path: string, body: unknown): readonly string[] {
  const form = forms[path];
  return form === undefined ? [`${path} is not a path of OTLP`] : form(body, "body");
}
