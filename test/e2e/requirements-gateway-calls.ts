import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of calls to other MCP servers. */
export const gatewayCallRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/spec/gateway.md#acceptance", {
    "gateway.gw-04": "MCP=0 reads, starts and lists no other server.",
    "gateway.gw-17": "A hidden tool is called in the turn in which it was found; the list stays.",
    "gateway.gw-25": "Rules, hooks and the audit log see a tool by its own name, however called.",
    "gateway.gw-26":
      "A call that outlives the client's patience goes on, and nothing of it is lost.",
    "gateway.gw-27": "Progress of a server reaches the client's token.",
    "gateway.gw-28": "A call is cancelled in all four pairs of eras.",
    "gateway.gw-29": "A server asks the user in all four pairs of eras.",
    "gateway.gw-36": "A server that floods delays nothing of ours.",
    "gateway.gw-40": "What a client authorizes itself with never reaches another server.",
  }),
  ...from("docs/mcp-servers.md#tools-that-are-tasks", {
    "gateway.tasks":
      "A tool that can be called as a task only is called as one, with all that belongs to a call.",
  }),
};
