import { describe, expect, test } from "bun:test";

import { metricToolsMax } from "../../../src/base/limits.ts";
import { ObservedRequest } from "../../../src/calls/call-observer.ts";
import { CallMetrics, HttpMetrics } from "../../../src/observe/metrics/call-metrics.ts";
import { type MetricFamily, prometheusText } from "../../../src/observe/metrics/family.ts";
import { gaugeFamilies } from "../../../src/observe/metrics/gauges.ts";
import { metrics } from "../../../src/observe/metrics/metric-list.ts";
import { factsOf, observed } from "../recorded.ts";
import { type ParsedFamily, parsePrometheus, type Sample } from "./parse-prometheus.ts";

const methods = new Set(["tools/call", "ping"]);
const figures = {
  sessions: 3,
  requestsInFlight: 2,
  eventChars: 5,
  isReady: true,
  upstream: new Map([["ready", 2]]),
  workersLost: new Map([["tools", 1]]),
};

function parsed(families: readonly MetricFamily[]): ReadonlyMap<string, ParsedFamily> {
  return new Map(parsePrometheus(prometheusText(families)).map((family) => [family.name, family]));
}

function samplesOf(families: readonly MetricFamily[], name: string): string[] {
  const shown = ({ name: full, labels, value }: Sample): string =>
    [full.slice(name.length), ...Object.values(labels), value].join(" ").trim();
  return parsed(families).get(name)?.samples.map(shown) ?? [];
}

describe("CallMetrics", () => {
  test("counts calls by tool, server and outcome", () => {
    const counts = new CallMetrics(methods);
    observed(counts);
    observed(counts);
    observed(counts, {}, { tool: "Echo" }, ['{"result":{"isError":true}}']);
    observed(counts, {}, { tool: "mcp__a__b", server: "a" }, ["{}", -32603]);
    observed(counts, {}, { tool: "mcp__a__b", server: "a" }, [undefined]);
    observed(counts, { method: "ping", name: undefined }, {});
    expect(samplesOf(counts.families(), "scorpiox_calls_total")).toEqual([
      "Echo  ok 2",
      "Echo  tool_error 1",
      "mcp__a__b a error 1",
      "mcp__a__b a cancelled 1",
    ]);
    expect(samplesOf(counts.families(), "scorpiox_requests_total")).toEqual([
      "tools/call ok 2",
      "tools/call tool_error 1",
      "tools/call error 1",
      "tools/call cancelled 1",
      "ping ok 1",
    ]);
    const durations = samplesOf(counts.families(), "scorpiox_call_seconds");
    expect(durations.filter((line) => line.startsWith("_count"))).toEqual([
      "_count Echo  3",
      "_count mcp__a__b a 2",
    ]);
    expect(samplesOf(counts.families(), "scorpiox_reply_bytes_total")).toEqual(["68"]);
  });

  test("has no label for what clients make up", () => {
    const counts = new CallMetrics(methods);
    for (let index = 0; index < 1_000; index += 1) {
      observed(counts, { name: `Nothing${index}` }, {});
      observed(counts, { method: `made/up${index}` }, {});
    }
    expect(samplesOf(counts.families(), "scorpiox_calls_total")).toEqual(["unknown  ok 1000"]);
    expect(samplesOf(counts.families(), "scorpiox_requests_total")).toEqual([
      "tools/call ok 1000",
      "other ok 1000",
    ]);
  });

  test.each([
    [metricToolsMax - 1, metricToolsMax - 1],
    [metricToolsMax, metricToolsMax],
    [metricToolsMax + 1, metricToolsMax + 1],
    [metricToolsMax + 5_000, metricToolsMax + 1],
  ])("%d tools have %d sets of labels", (tools, sets) => {
    const counts = new CallMetrics(methods);
    for (let index = 0; index < tools; index += 1) {
      observed(counts, {}, { tool: `mcp__a__${index}`, server: "a" });
      observed(counts, {}, { tool: "mcp__a__0", server: "a" });
    }
    const lines = samplesOf(counts.families(), "scorpiox_calls_total");
    expect(lines).toHaveLength(sets);
    const others = tools - metricToolsMax;
    expect(lines.at(-1)).toBe(
      others > 0 ? `other other ok ${others}` : `mcp__a__${tools - 1} a ok 1`,
    );
    expect(lines[0]).toBe(`mcp__a__0 a ok ${tools + 1}`);
  });

  test("keeps foreign names within their label", () => {
    const counts = new CallMetrics(methods);
    const tool = 'a"} 1\nevil_total{x="\\\u001b[31m';
    observed(counts, {}, { tool, server: "s".repeat(1_000) });
    const [sample] = parsed(counts.families()).get("scorpiox_calls_total")?.samples ?? [];
    expect(sample?.labels).toEqual({
      tool: 'a"} 1\\u{a}evil_total{x="\\\\u{1b}[31m',
      server: "s".repeat(200),
      outcome: "ok",
    });
  });

  test("counts a call of another replica as a request alone", () => {
    const counts = new CallMetrics(methods);
    const request = new ObservedRequest(counts, factsOf());
    request.replica = "r1";
    request.answered('{"result":{}}');
    expect(samplesOf(counts.families(), "scorpiox_calls_total")).toEqual([]);
    expect(samplesOf(counts.families(), "scorpiox_requests_total")).toEqual(["tools/call ok 1"]);
  });

  test("counts refusals by status", () => {
    const counts = new CallMetrics(methods);
    const refused = { address: undefined, principal: undefined, tool: undefined };
    for (const status of [401, 401, 503]) counts.refused({ ...refused, status });
    expect(samplesOf(counts.families(), "scorpiox_http_refused_total")).toEqual(["401 2", "503 1"]);
  });
});

test("HttpMetrics counts responses by status, with the time to their head", () => {
  const http = new HttpMetrics();
  const now = performance.now();
  http.onResponse(new Response("a"), now);
  http.onResponse(new Response("b", { status: 404 }), now - 1_000);
  expect(samplesOf(http.families(), "scorpiox_http_responses_total")).toEqual(["200 1", "404 1"]);
  const buckets = samplesOf(http.families(), "scorpiox_http_response_seconds");
  expect(buckets.filter((line) => /^_bucket (0.5|2|\+Inf)/.test(line))).toEqual([
    "_bucket 0.5 1",
    "_bucket 2 2",
    "_bucket +Inf 2",
  ]);
});

describe("gaugeFamilies()", () => {
  test("has the figures of hub, log and traces only where there are any", () => {
    const optional = [
      metrics.hubClients,
      metrics.hubServers,
      metrics.hubKept,
      metrics.logLost,
      metrics.spans,
    ];
    const names = (families: readonly MetricFamily[]): string[] => [...parsed(families).keys()];
    const less = names(gaugeFamilies(figures));
    const all = names(
      gaugeFamilies({
        ...figures,
        tools: { workers: 1, queue: 2, background: 3 },
        hub: { clients: 2, servers: 5, keptTasks: 1 },
        logLost: 1,
        spans: new Map([["sent", 1]]),
      }),
    );
    expect(all.filter((name) => !less.includes(name)).sort()).toEqual(
      optional.map(({ name }) => name).sort(),
    );
  });

  test("with the counts every metric of the list is there", () => {
    const counts = new CallMetrics(methods);
    const whole = {
      ...figures,
      hub: { clients: 0, servers: 0, keptTasks: 0 },
      logLost: 0,
      spans: new Map(),
    };
    const families = [
      ...counts.families(),
      ...new HttpMetrics().families(),
      ...gaugeFamilies(whole),
    ];
    expect(families.map(({ spec }) => spec.name).sort()).toEqual(
      Object.values(metrics)
        .map(({ name }) => name)
        .sort(),
    );
  });
});

const promtool = Bun.which("promtool");
test.skipIf(promtool === null)("promtool finds nothing wrong", async () => {
  const counts = new CallMetrics(methods);
  observed(counts, {}, { tool: 'a"\n', server: "s" });
  const text = prometheusText([
    ...counts.families(),
    ...new HttpMetrics().families(),
    ...gaugeFamilies(figures),
  ]);
  const check = Bun.spawn([promtool ?? "", "check", "metrics"], {
    stdin: Buffer.from(text),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([check.stdout.text(), check.stderr.text()]);
  expect([await check.exited, out, errors]).toEqual([0, "", ""]);
});
