import { product } from "../../base/product.ts";
import type { TriedServer } from "../../upstream/server-state.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import type { ConfiguredServer } from "../../upstream/config/server-entry.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import type { CommandContext } from "../command.ts";
import { trustOf } from "../configured-servers.ts";
import type { StartUp } from "../start-up.ts";
import { readable } from "../state-words.ts";
import { type Finding, fault, fileRemedy, note, ok } from "./finding.ts";

/** The user's MCP servers: configuration, approval, and a start of each that may be started. */
export async function serverFindings(
  { io, services }: CommandContext,
  start: StartUp,
): Promise<readonly Finding[]> {
  const config = loadUpstreamConfig(configPartsOf(start, io.env));
  const problems = config.problems.map((text) =>
    fault("servers", text.replace(/\.$/, ""), fileRemedy(text, "correct the file")),
  );
  if (!config.isOn)
    return [
      ...problems,
      note("servers", "MCP servers are disabled", `${product.name} config set MCP on`),
    ];
  const enabled = [...config.servers.values()].filter(({ entry }) => entry.isEnabled);
  if (enabled.length === 0) return [...problems, ok("servers", "no MCP server is configured")];
  const found: Finding[] = [];
  const allowed: ConfiguredServer[] = [];
  for (const server of enabled) {
    const trust = await trustOf(server, start);
    if (trust === "user" || trust === "approved") allowed.push(server);
    else found.push(waiting(server.entry.name, trust === "denied"));
  }
  const tried = await services.triedUpstreams(start, allowed, io.interrupted);
  for (const [name, outcome] of tried) found.push(outcomeOf(name, outcome));
  return [...problems, ...found];
}

function waiting(name: string, isDenied: boolean): Finding {
  return isDenied
    ? note("servers", `${name} of the project was denied`, `${product.name} mcp approve ${name}`)
    : fault(
        "servers",
        `${name} of the project needs approval`,
        `${product.name} mcp approve ${name}`,
      );
}

function outcomeOf(name: string, outcome: TriedServer | string): Finding {
  if (typeof outcome === "string")
    return fault("servers", `${name}: ${readable(outcome)}`, `${product.name} mcp test ${name}`);
  const { info, isUsable, steps } = outcome;
  const ms = steps.reduce((sum, step) => sum + step.ms, 0);
  const changed = info.blocked.changed;
  if (info.state === "needs_auth")
    return fault("servers", `${name} needs a login`, `${product.name} mcp login ${name}`);
  const [, program, advice] =
    /the program (.+) was not found\. Searched: .*?\. (Install[^]*)$/.exec(info.reason ?? "") ?? [];
  if (program !== undefined && advice !== undefined) {
    const text = `${name} does not work: the program ${readable(program)} was not found`;
    return fault("servers", text, readable(advice.replace(/\.$/, "")));
  }
  if (!isUsable) {
    const why = info.reason === null ? info.state : readable(firstWords(info.reason));
    return fault("servers", `${name} does not work: ${why}`, `${product.name} mcp test ${name}`);
  }
  if (changed > 0)
    return fault(
      "servers",
      `${name} has ${changed} changed tools, which are blocked`,
      `${product.name} mcp diff ${name}`,
    );
  return ok("servers", `${name}: ${info.tools} tools in ${Math.round(ms)} ms`);
}

/** The first line, with the next one when it only announces that. */
function firstWords(reason: string): string {
  const [first = "", second = ""] = reason.split("\n").map((line) => line.trim());
  return first.endsWith(":") ? `${first} ${second}` : first;
}
