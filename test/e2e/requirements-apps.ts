import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of servers that bring pages with their tools. */
export const appRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/mcp-apps.md", {
    "apps.listed":
      "Tools that are for apps alone are listed for clients that show apps, and callable by those; nobody else finds them.",
    "apps.declared":
      "A server hears whether the client shows apps, of either era; clients that answer differently share no connection.",
    "apps.named": "Both handshakes name the extension where there are other servers.",
    "apps.commands": "The command line lists and calls no tool that is for apps alone.",
  }),
};
