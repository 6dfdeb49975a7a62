import { formatAmount } from "../../base/cut-text.ts";
import { AppError } from "../../base/errors.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { isObject } from "../../base/values.ts";
import { textOf } from "../../upstream/adapters/text-of.ts";
import {
  type InventoryTool,
  toolInventory,
  toolSummaries,
} from "../../upstream/catalogue/tool-inventory.ts";
import { toolCallName, toolSearchName } from "../../base/tool-kinds.ts";
import type { ServerInfo } from "../../upstream/server-state.ts";
import { awaitServers } from "../../upstream/upstreams.ts";
import { callTool } from "../call-tool.ts";
import { columns, exitCodes, orInterrupted } from "../command-io.ts";
import type { Command, CommandContext, OpenTools } from "../command.ts";
import { enabledServer, openServers, type ServersOfCommand } from "../configured-servers.ts";
import { formatFlag, formatOf, jsonFlag, startUpFlags } from "../flags.ts";
import { withProgress } from "../progress.ts";
import type { StartUp } from "../start-up.ts";
import { approvalStates, notReadyText, stateCode } from "../state-words.ts";

export const mcpToolsCommand: Command = {
  usage: "[[--server] SERVER] [--summary] [--search QUERY [--explain]] [--json]",
  description:
    "Lists the tools of your MCP servers under the names that clients use: whether each may be called, its aliases, its cost\n" +
    "in tokens, and whether it is listed or found by tool_search. With --search: the results of tool_search.",
  flags: {
    summary: { kind: "switch", help: "Describe each tool and its arguments." },
    search: { kind: "text", placeholder: "QUERY", help: "Search as tool_search does." },
    explain: { kind: "switch", help: "With --search: explain each score." },
    server: { kind: "text", placeholder: "NAME", help: "Same as SERVER." },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 1 },
  needsPerson: false,
  async run(context) {
    const { args, services } = context;
    if (args.has("explain") && !args.has("search")) {
      throw new AppError("usage", "--explain needs --search.");
    }
    const view = await openServers(context);
    const [name = args.text("server")] = args.positionals;
    const server = name === undefined ? undefined : enabledServer(view, name).entry.name;
    await using open = await services.openTools(view.start);
    return args.has("search")
      ? await search(context, view, open, server)
      : await list(context, view, open, server);
  },
};

async function list(
  context: CommandContext,
  view: ServersOfCommand,
  open: OpenTools,
  server: string | undefined,
): Promise<number> {
  const { args, print, io } = context;
  const { interrupted } = io;
  const { tools, servers } = await withProgress(context, waitingFor(server), () =>
    upstreamInventory(open, view.start, { server, interrupted }),
  );
  const isSummary = args.has("summary");
  if (args.has("json")) print.json(isSummary ? toolSummaries(tools) : tools);
  else if (tools.length > 0) {
    const textIn = isSummary ? summaryText : factsText;
    const rows = columns(tools.map((tool) => [tool.name, textIn(tool)]));
    for (const [at, { state }] of tools.entries()) {
      print.marked(approvalStates[state].mark, (rows[at] ?? "").trimStart());
    }
  }
  for (const info of servers) {
    const text = notReadyText(info);
    if (text !== undefined) print.note(`${info.name}: ${text}`);
  }
  if (servers.length === 0) print.note("You have no MCP servers. Add one: scorpiox-code mcp add");
  const hidden = tools.filter(({ state, listed }) => state === "approved" && !listed).length;
  if (hidden > 0 && !args.has("json")) {
    print.note(
      `${formatAmount(hidden, "tool")} of them hidden: clients find them with tool_search.`,
    );
  }
  const [only] = server === undefined ? [] : servers;
  return only === undefined || tools.length > 0 ? exitCodes.done : stateCode(only);
}

function factsText({ state, reason, tokens, listed, aliases }: InventoryTool): string {
  if (state !== "approved") return `${approvalStates[state].word}: ${reason}`;
  const cost = tokens === null ? "" : `, about ${tokens} tokens`;
  const others = aliases.length === 0 ? "" : `; also ${aliases.map(escapeName).join(", ")}`;
  return `${listed ? "listed" : "hidden"}${cost}${others}`;
}

function summaryText({ state, summary, args }: InventoryTool): string {
  return state === "approved"
    ? `${summary} (${args.map(escapeName).join(", ") || "no arguments"})`
    : approvalStates[state].word;
}

function waitingFor(server: string | undefined): () => string {
  return () => `Waiting for ${server ?? "the MCP servers"}`;
}

/** As a model sees it, but in full: a terminal has room. */
async function search(
  context: CommandContext,
  { start }: ServersOfCommand,
  { upstreams }: OpenTools,
  server: string | undefined,
): Promise<number> {
  const { args, print, io } = context;
  if (!upstreams.isWanted) {
    throw new AppError("not_found", "You have no MCP servers. Add one: scorpiox-code mcp add");
  }
  await withProgress(context, waitingFor(server), () =>
    orInterrupted(awaitServers(upstreams, server), io.interrupted),
  );
  const query = {
    query: args.text("search") ?? "",
    explain: args.has("explain"),
    charsMax: start.clients.limitsFor(undefined).resultCharsMax,
    ...(server === undefined ? {} : { server }),
  };
  const result: unknown = JSON.parse((await upstreams.search(query, io.interrupted)).json);
  if (!isObject(result) || result.isError === true) throw new AppError("usage", textOf(result));
  if (args.has("json")) print.json(result.structuredContent);
  else print.content(textOf(result));
  return exitCodes.done;
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
    enabledServer(view, server);
    const { start } = view;
    await using open = await services.openTools(start);
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
  readonly open: OpenTools;
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

/** The offers of the upstream servers, as a command shows them. */
export interface UpstreamInventory {
  readonly tools: readonly InventoryTool[];
  readonly servers: readonly ServerInfo[];
}

interface InventoryWanted {
  readonly server: string | undefined;
  readonly interrupted: AbortSignal;
}

/**
 * Waits for servers that are still unknown.
 * @param server undefined: all
 * @throws {AppError} `cancelled` when the command is interrupted
 */
export async function upstreamInventory(
  open: OpenTools,
  { config }: StartUp,
  { server, interrupted }: InventoryWanted,
): Promise<UpstreamInventory> {
  const { upstreams } = open;
  if (!upstreams.isWanted) return { tools: [], servers: [] };
  await orInterrupted(awaitServers(upstreams, server), interrupted);
  const searched = await open.upstreamTools({ waits: false });
  const [snapshot, infos] = await Promise.all([upstreams.settled(0), upstreams.infoList()]);
  const own = open.tools.list().map(({ name }) => name);
  const foreign = new Set(snapshot.tools.map(({ name }) => name));
  const tools = toolInventory({
    snapshot,
    searched,
    reserved: [...own.filter((name) => !foreign.has(name)), toolSearchName, toolCallName],
    ownKey: config.settings.mcp.serverName,
  });
  const isMeant = (name: string): boolean => server === undefined || name === server;
  return {
    tools: tools.filter((tool) => isMeant(tool.server)),
    servers: infos.filter(({ name }) => isMeant(name)),
  };
}
