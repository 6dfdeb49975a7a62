import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of servers that fail, change or answer at length. */
export const upstreamManagerRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/gateway.md#states", {
    "gateway.gw-10":
      "A server that dies, hangs or answers nonsense fails that call; the next one is answered.",
    "gateway.gw-11":
      "A server that is added or removed while we run comes and goes; the others keep their process.",
    "gateway.gw-14":
      "Ten HTTP sessions have one process of a shared server, and one each of a server that is not.",
    "gateway.gw-11-roots":
      "A client that offers other folders while we run has the servers of their project, once approved; common ones keep their process.",
    "gateway.first-lists":
      "Clients that start at once, with nothing known of other servers, all list every tool at first.",
    "gateway.kept-lists":
      "The first list of a later start is at once that of the one before, unless its configuration or approvals have changed.",
    "gateway.gw-44": "A running server says in a file what it knows of other servers.",
  }),
  ...from("docs/mcp-servers.md#what-an-entry-may-say", {
    "gateway.roots":
      "A server whose arguments name folders keeps them; others are told of the client's, as `roots` says.",
  }),
  ...from("docs/mcp-servers.md#packages-npx-uvx-docker", {
    "gateway.installing":
      "What a runner of packages has to fetch is a state of its own that everybody is told of, once for all processes.",
    "gateway.install-at-once":
      "`mcp add` and `mcp approve` fetch a package at once, `mcp import` when it is told to.",
    "gateway.installing-ends": "Nothing goes on fetching when we are killed.",
  }),
  ...from("docs/gateway.md#results", {
    "gateway.gw-30": "A result that is too long is cut, says so, and can be read whole.",
  }),
};
