import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to those who run a server for others. */
export const operationsRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/spec/fleet.md#tm5", {
    "team.access-log":
      "Each request and each refusal has a line in the access log, with nothing of arguments and results.",
    "team.metrics":
      "`/metrics` and `/status` are there at an address of their own, or for tokens with the scope `metrics`.",
    "team.operator-host": "The rules for Host and Origin hold for health, metrics and details.",
    "team.ready": "`/readyz` says ready, degraded or draining; degraded is 503 only when told so.",
    "team.drain":
      "Within the time given, all that is under way is answered; a second signal ends the server at once.",
    "team.otlp":
      "Spans continue the client's trace and are the parents of calls to MCP servers; no arguments or results are in them.",
  }),
};
