import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of the configuration of other MCP servers. */
export const serverSourceRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/spec/gateway.md#acceptance", {
    "gateway.gw-01":
      "Nine sources name servers, the strongest entry counts as a whole, a bad file hurts no other one.",
    "gateway.gw-02": "MCP_SERVER names servers in one line, with escapes, drives and URLs.",
    "gateway.gw-03":
      "The files of other clients are read in all their shapes; what is invalid is told and skipped.",
  }),
};
