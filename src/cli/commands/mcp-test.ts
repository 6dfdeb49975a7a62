import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import type { ConfiguredServer } from "../../upstream/config/server-entry.ts";
import type { ServerInfo, TrialStep, TriedServer } from "../../upstream/server-state.ts";
import { callTool } from "../call-tool.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext, OpenRouter } from "../command.ts";
import { openServers, serverNamed, type ServersOfCommand } from "../configured-servers.ts";
import { formatFlag, formatOf, jsonFlag, startUpFlags } from "../flags.ts";
import { notReadyText, readable, stateCode, trustOf } from "../server-rows.ts";
import { offerText, stderrLines } from "../status-lines.ts";
import { upstreamInventory } from "../upstream-inventory.ts";

/** How one server was found. */
type Finding =
  | { readonly kind: "tried"; readonly server: string; readonly tried: TriedServer }
  /** It may not be started. */
  | { readonly kind: "untrusted"; readonly server: string; readonly reason: string }
  /** scorpiox-code failed, not the server. */
  | { readonly kind: "unknown"; readonly server: string; readonly reason: string };

export const mcpTestCommand: Command = {
  usage: "[NAME ...] [--json]",
  description:
    "Starts the servers, negotiates a protocol revision with each, reads its lists, and ends it. Prints the time of each\n" +
    "step and how to fix a failure. Exits with 0 when all work, 12 when one cannot be reached, 4 when one waits for\n" +
    "approval or a login, 3 when there is none.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  needsPerson: false,
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const names = [...new Set(args.positionals)];
    const servers =
      names.length === 0 ? view.servers : names.map((name) => serverNamed(view, name));
    const findings = await findingsOf(context, view, servers);
    if (args.has("json")) print.json(findings.map(rowOf));
    else {
      const logs = join(view.start.dirs.scorpioxDir, "logs");
      for (const line of findings.flatMap((one) => linesOf(one, logs))) print.line(line);
    }
    if (findings.length > 0) return exitCodeOf(findings);
    print.note(`There are no servers to test. Add one: ${product.name} mcp add`);
    return exitCodes.notFound;
  },
};

async function findingsOf(
  { services, io }: CommandContext,
  { start }: ServersOfCommand,
  servers: readonly ConfiguredServer[],
): Promise<readonly Finding[]> {
  const refusals = new Map<string, string>();
  for (const server of servers) {
    const trust = await trustOf(server, start);
    const { name } = server.entry;
    if (trust === "denied") refusals.set(name, "You have refused it.");
    if (trust === "pending") refusals.set(name, "It waits for your approval.");
  }
  const tried = servers.filter(({ entry }) => !refusals.has(entry.name));
  if (tried.length > 0 && services.triedUpstreams === undefined) {
    throw new AppError("unsupported", "This program cannot connect to MCP servers.");
  }
  const outcomes = await services.triedUpstreams?.(start, tried, io.interrupted);
  return servers.map(({ entry: { name } }): Finding => {
    const refusal = refusals.get(name);
    if (refusal !== undefined) {
      const reason = `${refusal} See and approve it: ${product.name} mcp approve ${name}`;
      return { kind: "untrusted", server: name, reason };
    }
    const outcome = outcomes?.get(name) ?? "It was not tested.";
    return typeof outcome === "string"
      ? { kind: "unknown", server: name, reason: outcome }
      : { kind: "tried", server: name, tried: outcome };
  });
}

function rowOf(finding: Finding): unknown {
  if (finding.kind !== "tried") {
    const { server, kind, reason } = finding;
    return { name: server, usable: false, steps: [], state: kind, reason };
  }
  const { info, isUsable, steps } = finding.tried;
  const shown = steps.map(({ name, ms, isDone }) => ({ name, ms, done: isDone }));
  return { ...info, usable: isUsable, steps: shown };
}

/** @param logs the folder of the servers' logs */
function linesOf(finding: Finding, logs: string): readonly string[] {
  if (finding.kind !== "tried") return [`${finding.server}: ${finding.reason}`];
  const { info, isUsable, steps } = finding.tried;
  const times = steps.map(stepText).join(", ");
  const reason = info.reason === null ? [] : [`  ${readable(info.reason)}`];
  if (!isUsable) {
    const last = stderrLines(info).map((line) => `  ${line}`);
    const head = `${info.name}: ${stateText(info)}${times === "" ? "" : ` (${times})`}`;
    return [head, ...reason, ...last, ...adviceOn(finding.tried, logs)];
  }
  const version = info.serverVersion === null ? "" : ` ${escapeName(info.serverVersion)}`;
  return [
    `${info.name}${version}: ${info.state} (${times})`,
    `  MCP ${info.protocolVersion}, ${offerText(info)}`,
    ...reason,
  ];
}

/** There is no retry here. */
function stateText({ state }: ServerInfo): string {
  return state === "backoff" || state === "failed" ? "cannot be reached" : state.replace("_", " ");
}

/** Hints that the reason itself lacks. */
function adviceOn({ info, steps }: TriedServer, logs: string): readonly string[] {
  const { name, reason, transport } = info;
  if (transport === "http" || !steps.some(({ name }) => name === "negotiate")) return [];
  const isSilent = reason?.includes("No answer in") === true;
  const silence =
    "  Does its command speak MCP over stdin and stdout? If it is only slow, raise init_timeout_ms.";
  return [...(isSilent ? [silence] : []), `  Its log: ${join(logs, `mcp-${name}.log`)}`];
}

function stepText({ name, ms, isDone }: TrialStep): string {
  return isDone ? `${name} ${ms} ms` : `${name} failed after ${ms} ms`;
}

/** An unreachable server has priority over one that waits for the user. */
function exitCodeOf(findings: readonly Finding[]): number {
  const needsUser = (finding: Finding): boolean =>
    finding.kind === "untrusted" ||
    (finding.kind === "tried" && ["needs_auth", "untrusted"].includes(finding.tried.info.state));
  const failed = findings.filter((finding) => finding.kind !== "tried" || !finding.tried.isUsable);
  if (failed.length === 0) return exitCodes.done;
  return failed.every(needsUser) ? exitCodes.needsApproval : exitCodes.unreachable;
}

export const mcpCallCommand: Command = {
  usage: "SERVER TOOL [--args '{JSON}' | --args - | KEY=VALUE ...] [FLAGS]",
  description:
    "Calls a tool of an MCP server by the server's own name for it and prints the text of the result. Rules, hooks and the\n" +
    "audit log apply as to any other call. Exits with 1 when the tool failed, 3 when the server or tool does not exist, 4 when\n" +
    "it may not be called, 12 when the server cannot be reached. --args - reads the arguments from stdin.",
  flags: {
    args: { kind: "text", placeholder: "JSON", help: "All arguments; - reads them from stdin." },
    json: { kind: "switch", help: "Print the whole result as JSON." },
    ...formatFlag,
    ...startUpFlags,
  },
  arguments: { min: 2, max: Number.MAX_SAFE_INTEGER },
  needsPerson: false,
  async run(context) {
    const { args, services } = context;
    const [server = "", tool = ""] = args.positionals;
    const format = formatOf(args) ?? (args.has("json") ? "mcp" : undefined);
    const words = argumentWords(context);
    const view = await openServers(context);
    serverNamed(view, server);
    const { start } = view;
    await using open = await services.createRouter(start);
    const found = await nameOf(server, tool, { context, view, open });
    if (typeof found === "number") return found;
    return await callTool(context, { start, open, format, words: [found, ...words] });
  },
};

/** @throws {AppError} `usage` */
function argumentWords({ args }: CommandContext): readonly string[] {
  const words = args.positionals.slice(2);
  const given = args.text("args");
  if (given === undefined) return words;
  if (words.length > 0) {
    throw new AppError("usage", "Give the arguments in --args or after the tool, not in both.");
  }
  if (given === "-" || given.trimStart().startsWith("{")) return [given];
  throw new AppError("usage", "--args must be a JSON object, for instance '{\"key\": 1}', or -.");
}

/** Enough names to see what kind of server it is. */
const namesShownMax = 30;

interface Search {
  readonly context: CommandContext;
  readonly view: ServersOfCommand;
  readonly open: OpenRouter;
}

/**
 * The tool's exposed name, even if it may not be called; or the exit code if its server is unavailable.
 * @throws {AppError} `not_found`
 */
async function nameOf(
  server: string,
  tool: string,
  { context, view, open }: Search,
): Promise<string | number> {
  const { tools, servers } = await upstreamInventory(open, view.start, {
    server,
    interrupted: context.io.interrupted,
  });
  const found = tools.find((one) => one.tool === tool) ?? tools.find((one) => one.name === tool);
  if (found !== undefined) return found.name;
  const [info] = servers;
  const why = info === undefined ? undefined : notReadyText(info);
  if (tools.length === 0 && info !== undefined && why !== undefined) {
    context.print.error(`${server}: ${why}`);
    return stateCode(info);
  }
  const names = tools.map((one) => escapeName(one.tool));
  const suggestion = suggestionFor(tool, names);
  const shown = names.slice(0, namesShownMax).join(", ") || "no tools";
  const rest = names.length > namesShownMax ? ` and ${names.length - namesShownMax} more` : "";
  const more = suggestion === "" ? ` It has: ${shown}${rest}.` : suggestion;
  const what = `The server ${JSON.stringify(server)} has no tool ${JSON.stringify(tool.slice(0, 128))}.`;
  throw new AppError("not_found", what + more);
}
