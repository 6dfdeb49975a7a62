import { describe, expect, test } from "bun:test";

import { otlpBatchSpansMax, otlpSpansWaitingMax } from "../../../src/base/limits.ts";
import { product } from "../../../src/base/product.ts";
import { CallMetrics, HttpMetrics } from "../../../src/observe/metrics/call-metrics.ts";
import {
  OtlpExporter,
  type SendOutcome,
  SpanQueue,
} from "../../../src/observe/otlp/otlp-exporter.ts";
import type { Span } from "../../../src/observe/otlp/otlp-json.ts";
import { readOtlpSettings } from "../../../src/observe/otlp/otlp-settings.ts";
import { SpanRecorder } from "../../../src/observe/otlp/span-recorder.ts";
import { until } from "../../commands/process/until.ts";
import { observed } from "../recorded.ts";
import { attributesOf, Collector } from "./collector.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${spanId}-01`;

function exporterTo(collector: Collector, env: Record<string, string> = {}): OtlpExporter {
  const settings = readOtlpSettings(collector.url, env);
  if (settings === undefined) throw new Error("nothing would be sent");
  const families = (): Promise<never[]> => Promise.resolve([]);
  return new OtlpExporter({ settings, families, warn: () => {}, batchMs: 1 });
}

describe("readOtlpSettings()", () => {
  test.each<[flag: string | undefined, env: Record<string, string>, url: string | undefined]>([
    [undefined, {}, undefined],
    ["http://a:4318", {}, "http://a:4318/v1/traces"],
    ["http://a:4318/", {}, "http://a:4318/v1/traces"],
    ["https://a/otlp/", {}, "https://a/otlp/v1/traces"],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://b:4318" }, "http://b:4318/v1/traces"],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: " " }, undefined],
    ["http://a", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://b" }, "http://a/v1/traces"],
    ["http://a", { OTEL_SDK_DISABLED: "true" }, undefined],
    ["http://a", { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "http://a/v1/traces"],
  ])("%p with %j sends to %p", (flag, env, url) => {
    expect(readOtlpSettings(flag, env)?.tracesUrl).toBe(url);
  });

  test("takes headers, name and attributes from the environment", () => {
    const settings = readOtlpSettings("http://a", {
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=s%20t, x-scope=1,",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,deployment.environment.name=prod",
      OTEL_SERVICE_NAME: "team",
    });
    expect(settings).toEqual({
      tracesUrl: "http://a/v1/traces",
      metricsUrl: "http://a/v1/metrics",
      headers: { "api-key": "s t", "x-scope": "1" },
      attributes: {
        "service.instance.id": expect.any(String) as string,
        "service.name": "team",
        "deployment.environment.name": "prod",
        "service.version": product.version,
      },
    });
  });

  test.each<[flag: string | undefined, env: Record<string, string>, message: string]>([
    ["ftp://a", {}, "--otlp is not the URL of a collector"],
    ["a:4318", {}, "--otlp is not the URL of a collector"],
    ["http://a?x", {}, "--otlp is not the URL of a collector"],
    [undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: "b" }, "OTEL_EXPORTER_OTLP_ENDPOINT is not"],
    [
      undefined,
      { OTEL_EXPORTER_OTLP_ENDPOINT: "http://b", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" },
      "which scorpiox-code does not speak",
    ],
    [
      "http://a",
      { OTEL_EXPORTER_OTLP_HEADERS: "secret" },
      "OTEL_EXPORTER_OTLP_HEADERS is not a list",
    ],
    [
      "http://a",
      { OTEL_EXPORTER_OTLP_HEADERS: "a=%zz" },
      "OTEL_EXPORTER_OTLP_HEADERS is not a list",
    ],
    ["http://a", { OTEL_EXPORTER_OTLP_HEADERS: "a=x%0d%0ab:c" }, "HEADERS is not a list"],
  ])("%p with %j is refused", (flag, env, message) => {
    expect(() => readOtlpSettings(flag, env)).toThrow(message);
    expect(() => readOtlpSettings(flag, env)).not.toThrow("secret");
  });
});

describe("SpanRecorder", () => {
  function spansOf(make: (recorder: SpanRecorder) => void): Span[] {
    const spans: Span[] = [];
    make(new SpanRecorder((span) => spans.push(span)));
    return spans;
  }

  test("a call has the attributes of the conventions, and no identity in clear", () => {
    const [span] = spansOf((recorder) => {
      observed(recorder, { traceparent, id: "a" }, { tool: "mcp__a__b", server: "a" });
    });
    expect(span).toEqual({
      traceId,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      parentSpanId: spanId,
      name: "tools/call mcp__a__b",
      startMs: expect.any(Number) as number,
      endMs: expect.any(Number) as number,
      attributes: {
        "mcp.method.name": "tools/call",
        "mcp.protocol.version": "2025-11-25",
        "mcp.session.id": "ba7816bf8f01cfea",
        "jsonrpc.request.id": "a",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "mcp__a__b",
        "gen_ai.prompt.name": undefined,
        "error.type": undefined,
        "rpc.response.status_code": undefined,
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "client.address": "127.0.0.1",
        "enduser.pseudo.id": expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        "scorpiox.upstream.server": "a",
        "scorpiox.reply.bytes": 13,
      },
      isError: false,
      links: [],
    });
    expect(span?.spanId).not.toBe(spanId);
  });

  test.each<
    [reply: [string | undefined, number?], type: string | undefined, code: string | undefined]
  >([
    [['{"result":{}}'], undefined, undefined],
    [['{"result":{"isError":true}}'], "tool_error", undefined],
    [["{}", -32602], "-32602", "-32602"],
    [[undefined], "cancelled", undefined],
  ])("the reply %j has the error %p", (reply, type, code) => {
    const [span] = spansOf((recorder) => observed(recorder, {}, {}, reply));
    expect([
      span?.isError,
      span?.attributes["error.type"],
      span?.attributes["rpc.response.status_code"],
    ]).toEqual([type !== undefined, type, code]);
  });

  test("the trace of the message comes before that of the HTTP request, which is linked", () => {
    const outer = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const spans = spansOf((recorder) => {
      observed(recorder, { traceparent, outerTraceparent: outer });
      observed(recorder, { outerTraceparent: outer });
      observed(recorder, { traceparent: "nonsense", outerTraceparent: "too" });
    });
    const shown: unknown = spans.map(({ traceId: id, parentSpanId, links }) => [
      id,
      parentSpanId,
      links,
    ]);
    expect(shown).toEqual([
      [traceId, spanId, [{ traceId: "a".repeat(32), spanId: "b".repeat(16) }]],
      ["a".repeat(32), "b".repeat(16), []],
      [expect.stringMatching(/^[0-9a-f]{32}$/), undefined, []],
    ]);
  });

  test("the caller says whether a trace is recorded; it is passed on all the same", () => {
    const recorder = new SpanRecorder(() => {
      throw new Error("recorded");
    });
    const request = observed(recorder, { traceparent: `00-${traceId}-${spanId}-00` });
    expect(request.ownTraceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
  });

  test("a name that no tool has is not in the name of a span", () => {
    const [span] = spansOf((recorder) => observed(recorder, { name: "made\nup" }, {}));
    expect([span?.name, span?.attributes["gen_ai.tool.name"]]).toEqual([
      "tools/call",
      "made\\u{a}up",
    ]);
  });
});

describe("SpanQueue", () => {
  const [span] = ((): Span[] => {
    const spans: Span[] = [];
    observed(new SpanRecorder((each) => spans.push(each)));
    return spans;
  })();

  function queueOf(answers: SendOutcome[], warnings: string[] = []): [SpanQueue, number[]] {
    const batches: number[] = [];
    const send = (spans: readonly Span[]): Promise<SendOutcome> => {
      batches.push(spans.length);
      return Promise.resolve(answers.shift() ?? { kind: "taken", rejected: 0 });
    };
    const warn = (text: string): number => warnings.push(text);
    return [new SpanQueue({ send, warn, batchMs: 1, retryMsMin: 1 }), batches];
  }

  function add(queue: SpanQueue, count: number): void {
    for (let each = 0; each < count; each += 1) if (span !== undefined) queue.add(span);
  }

  test("sends batches, and a full one at once", async () => {
    const [queue, batches] = queueOf([]);
    add(queue, otlpBatchSpansMax + 1);
    await until(() => queue.counts.get("sent") === otlpBatchSpansMax + 1);
    expect(batches).toEqual([otlpBatchSpansMax, 1]);
  });

  test("what has no room is dropped and counted, and nothing waits for it", async () => {
    const sent = Promise.withResolvers<SendOutcome>();
    const queue = new SpanQueue({ send: () => sent.promise, warn: () => {}, batchMs: 1 });
    add(queue, otlpSpansWaitingMax + 7);
    expect([...queue.counts]).toEqual([
      ["sent", 0],
      ["dropped", 7],
      ["waiting", otlpSpansWaitingMax],
    ]);
    sent.resolve({ kind: "taken", rejected: 0 });
    await until(() => queue.counts.get("sent") === otlpSpansWaitingMax);
  });

  test("a batch that failed is sent again, one that was refused is not; a fault is reported once until it is over", async () => {
    const warnings: string[] = [];
    const answers: SendOutcome[] = [
      { kind: "failed", reason: "HTTP 503" },
      { kind: "failed", reason: "HTTP 503", afterMs: 1 },
      { kind: "taken", rejected: 1 },
      { kind: "refused", reason: "HTTP 400" },
    ];
    const [queue, batches] = queueOf(answers, warnings);
    add(queue, 3);
    await until(() => queue.counts.get("sent") === 2);
    add(queue, 2);
    await until(() => queue.counts.get("dropped") === 3);
    add(queue, 1);
    await until(() => queue.counts.get("sent") === 3);
    expect(batches).toEqual([3, 3, 3, 2, 1]);
    expect(warnings).toEqual([
      "Traces cannot be sent to the collector: HTTP 503. Calls go on without them.",
      "Traces cannot be sent to the collector: HTTP 400. Calls go on without them.",
    ]);
  });

  test("the end sends the rest, and drops what fails then", async () => {
    const [queue, batches] = queueOf([]);
    add(queue, 2);
    await queue[Symbol.asyncDispose]();
    expect([batches, [...queue.counts]]).toEqual([
      [2],
      [
        ["sent", 2],
        ["dropped", 0],
        ["waiting", 0],
      ],
    ]);
    const [failing] = queueOf([{ kind: "failed", reason: "gone" }]);
    add(failing, 2);
    await failing[Symbol.asyncDispose]();
    expect(failing.counts.get("dropped")).toBe(2);
  });
});

describe("OtlpExporter", () => {
  test("sends what the proto's JSON mapping allows", async () => {
    using collector = new Collector();
    const exporter = exporterTo(collector, { OTEL_EXPORTER_OTLP_HEADERS: "api-key=k" });
    observed(exporter.recorder, { traceparent, outerTraceparent: traceparent });
    observed(exporter.recorder, { clientName: "\ud800", id: "\ud800" }, {}, ["{}", -32602]);
    await until(() => collector.spans.length === 2);
    await exporter[Symbol.asyncDispose]();
    expect(collector.faults).toEqual([]);
    expect(collector.resource).toMatchObject({ "service.name": "scorpiox-code" });
    expect(collector.requests[0]?.headers.get("api-key")).toBe("k");
    const [first, second] = collector.spans;
    expect([first?.links, first?.parentSpanId]).toEqual([[{ traceId, spanId }], spanId]);
    expect(attributesOf(second ?? { attributes: [] })["rpc.response.status_code"]).toBe("-32602");
    expect([first?.status, second?.status]).toEqual([{}, { code: 2 }]);
    expect(Number(first?.endTimeUnixNano)).toBeGreaterThanOrEqual(Number(first?.startTimeUnixNano));
  });

  test("a collector that comes back gets what it missed", async () => {
    using collector = new Collector();
    collector.answers.push(new Response("", { status: 503, headers: { "retry-after": "0.01" } }));
    const exporter = exporterTo(collector);
    observed(exporter.recorder);
    await until(() => collector.spans.length === 1);
    await exporter[Symbol.asyncDispose]();
    expect(exporter.spanCounts.get("sent")).toBe(1);
  });

  test("spans that the collector rejects are counted as dropped", async () => {
    using collector = new Collector();
    collector.answers.push(Response.json({ partialSuccess: { rejectedSpans: "1" } }));
    const exporter = exporterTo(collector);
    observed(exporter.recorder);
    await until(() => exporter.spanCounts.get("dropped") === 1);
    await exporter[Symbol.asyncDispose]();
  });

  test("sends metrics too", async () => {
    using collector = new Collector();
    const calls = new CallMetrics(new Set(["tools/call"]));
    const http = new HttpMetrics();
    observed(calls, {}, { tool: "Echo", server: "\ud800" });
    http.onResponse(new Response(""), performance.now());
    const settings = readOtlpSettings(collector.url, {});
    if (settings === undefined) throw new Error("nothing would be sent");
    const exporter = new OtlpExporter({
      settings,
      families: () => Promise.resolve([...calls.families(), ...http.families()]),
      warn: () => {},
      metricsMs: 1,
    });
    await until(() => collector.requests.some(({ path }) => path === "/v1/metrics"));
    await exporter[Symbol.asyncDispose]();
    expect(collector.faults).toEqual([]);
  });
});
