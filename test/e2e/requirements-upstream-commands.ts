import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of the commands that show other servers, try them and call them. */
export const upstreamCommandRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/mcp-troubleshooting.md#first-looks", {
    "gateway.commands-equal":
      "What commands say of other servers, and what a running server tells its client, is the same.",
    "gateway.commands-end":
      "A command that starts servers ends by itself, or on Ctrl-C, with all of them.",
  }),
  ...from("docs/spec/gateway.md#acceptance", {
    "gateway.gw-24": "mcp verify tells by its exit code whether servers are as mcp.lock has them.",
    "gateway.gw-42": "No command, log or file that it leaves shows a secret of a server's entry.",
  }),
};
