/**
 * What the conformance suite starts as its client: has client-server.ts play it, and ends as that did. The suite gives the URL of
 * its server as the last argument, and the rest in its variables.
 *
 *     bun test/conformance/client-call.ts URL-OF-CLIENT-SERVER URL
 */
import type { Scenario } from "./client-driver.ts";
import type { Played } from "./client-server.ts";

const [clientUrl = "", url = ""] = process.argv.slice(2);
const scenario: Scenario = {
  url,
  name: process.env.MCP_CONFORMANCE_SCENARIO ?? "",
  revision: process.env.MCP_CONFORMANCE_PROTOCOL_VERSION,
  context: JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}"),
};
const response = await fetch(clientUrl, { method: "POST", body: JSON.stringify(scenario) });
const { lines, hasFailed } = (await response.json()) as Played;
for (const line of lines) console.error(line);
process.exitCode = hasFailed ? 1 : 0;
