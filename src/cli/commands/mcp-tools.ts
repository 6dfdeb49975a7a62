import { orAborted } from "../../base/cancellation.ts";
import { formatAmount } from "../../base/cut-text.ts";
import { AppError } from "../../base/errors.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { isObject } from "../../base/values.ts";
import { textOf } from "../../upstream/adapters/text-of.ts";
import { type InventoryTool, toolSummaries } from "../../upstream/catalogue/tool-inventory.ts";
import { awaitServers } from "../../upstream/upstreams.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext, OpenRouter } from "../command.ts";
import { openServers, serverNamed, type ServersOfCommand } from "../configured-servers.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { columns } from "../print.ts";
import { stateCode, notReadyText } from "../server-rows.ts";
import { upstreamInventory } from "../upstream-inventory.ts";

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
    const server = name === undefined ? undefined : serverNamed(view, name).entry.name;
    await using open = await services.createRouter(view.start);
    return args.has("search")
      ? await search(context, view, open, server)
      : await list(context, view, open, server);
  },
};

async function list(
  { args, print, io: { interrupted } }: CommandContext,
  view: ServersOfCommand,
  open: OpenRouter,
  server: string | undefined,
): Promise<number> {
  const { tools, servers } = await upstreamInventory(open, view.start, { server, interrupted });
  const isSummary = args.has("summary");
  if (args.has("json")) print.json(isSummary ? toolSummaries(tools) : tools);
  else if (tools.length > 0) {
    const textIn = isSummary ? summaryText : factsText;
    print.line(columns(tools.map((tool) => [tool.name, textIn(tool)])).join("\n"));
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
  if (state !== "approved") return `${state}: ${reason}`;
  const cost = tokens === null ? "" : `, about ${tokens} tokens`;
  const others = aliases.length === 0 ? "" : `; also ${aliases.map(escapeName).join(", ")}`;
  return `${listed ? "listed" : "hidden"}${cost}${others}`;
}

function summaryText({ state, summary, args }: InventoryTool): string {
  return state === "approved"
    ? `${summary} (${args.map(escapeName).join(", ") || "no arguments"})`
    : state;
}

/** As a model sees it, but in full: a terminal has room. */
async function search(
  { args, print, io }: CommandContext,
  { start }: ServersOfCommand,
  { upstreams }: OpenRouter,
  server: string | undefined,
): Promise<number> {
  if (upstreams?.isWanted !== true) {
    throw new AppError("not_found", "You have no MCP servers. Add one: scorpiox-code mcp add");
  }
  await orAborted(awaitServers(upstreams, server), io.interrupted);
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
