import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of the commands for other MCP servers, and of the forms for other programs. */
export const serverCommandRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/spec/gateway.md#acceptance", {
    "gateway.gw-05": "What mcp add writes, mcp remove takes out again, to the byte.",
    "gateway.gw-06":
      "The commands for servers keep to their scopes, to -- and to their exit codes.",
    "gateway.gw-32":
      "Definitions, calls and results come in the forms of MCP, OpenAI and Anthropic.",
  }),
  ...from("docs/mcp-servers.md#commands", {
    "gateway.typed": "`mcp add` takes the lines that servers publish for another client.",
  }),
};
