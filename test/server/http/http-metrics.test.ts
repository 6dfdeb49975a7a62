import { describe, expect, test } from "bun:test";

import { HttpMetrics } from "../../../src/server/http/http-metrics.ts";

const gauges = { sessions: 3, requestsInFlight: 2 };

/** The lines of the figures that do not hang on the machine. */
function stableLines(metrics: HttpMetrics): string[] {
  const isStable = (line: string): boolean =>
    line.startsWith("scorpiox_") && !/_sum|_bucket\{le="0\./.test(line);
  return metrics.text(gauges).split("\n").filter(isStable);
}

describe("HttpMetrics", () => {
  test("counts responses by status, those to come when their head is there", async () => {
    const metrics = new HttpMetrics();
    const later = Promise.withResolvers<Response>();
    void metrics.observe(new Response("a"));
    void metrics.observe(new Response("b", { status: 404 }));
    const pending = metrics.observe(later.promise);
    expect(stableLines(metrics)).toContain("scorpiox_http_response_seconds_count 2");
    const response = new Response("c");
    later.resolve(response);
    expect(await pending).toBe(response);
    expect(stableLines(metrics)).toEqual([
      'scorpiox_http_responses_total{status="200"} 2',
      'scorpiox_http_responses_total{status="404"} 1',
      'scorpiox_http_response_seconds_bucket{le="2"} 3',
      'scorpiox_http_response_seconds_bucket{le="10"} 3',
      'scorpiox_http_response_seconds_bucket{le="60"} 3',
      'scorpiox_http_response_seconds_bucket{le="600"} 3',
      'scorpiox_http_response_seconds_bucket{le="+Inf"} 3',
      "scorpiox_http_response_seconds_count 3",
      "scorpiox_http_sessions 3",
      "scorpiox_http_requests_in_flight 2",
    ]);
  });

  test("has the figures of the hub only when one is used", () => {
    const hubLines = (text: string): string[] =>
      text.split("\n").filter((line) => line.startsWith("scorpiox_hub_"));
    const metrics = new HttpMetrics();
    expect(hubLines(metrics.text(gauges))).toEqual([]);
    const hub = { clients: 2, servers: 5, keptTasks: 1 };
    expect(hubLines(metrics.text({ ...gauges, hub }))).toEqual([
      "scorpiox_hub_clients 2",
      "scorpiox_hub_servers 5",
      "scorpiox_hub_kept_tasks 1",
    ]);
  });

  test("every line is a comment or a name with a number", () => {
    const lines = new HttpMetrics()
      .text({ ...gauges, hub: { clients: 0, servers: 0, keptTasks: 0 } })
      .trimEnd()
      .split("\n");
    const odd = lines.filter(
      (line) => !/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"\})? [\d.e+-]+)$/.test(line),
    );
    expect(odd).toEqual([]);
  });
});
