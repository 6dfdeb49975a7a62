import { AppError } from "../../base/errors.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { callTool } from "../call-tool.ts";
import type { Command, CommandContext, OpenRouter } from "../command.ts";
import { openServers, serverNamed, type ServersOfCommand } from "../configured-servers.ts";
import { formatFlag, formatOf } from "../format-flag.ts";
import { standingCode, standingText } from "../standing-text.ts";
import { startUpFlags } from "../start-up.ts";
import { upstreamInventory } from "../upstream-inventory.ts";

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
  async run(context) {
    const { args, services } = context;
    const [server = "", tool = ""] = args.positionals;
    const format = formatOf(args) ?? (args.has("json") ? "mcp" : undefined);
    const words = argumentWords(context);
    const view = await openServers(context);
    serverNamed(view, server);
    const { start } = view;
    const open = await services.createRouter(start);
    try {
      const found = await nameOf(server, tool, { context, view, open });
      if (typeof found === "number") return found;
      return await callTool(context, { start, open, format, words: [found, ...words] });
    } finally {
      await open.close();
    }
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
  const why = info === undefined ? undefined : standingText(info);
  if (tools.length === 0 && info !== undefined && why !== undefined) {
    context.print.error(`${server}: ${why}`);
    return standingCode(info);
  }
  const names = tools.map((one) => escapeName(one.tool));
  const suggestion = suggestionFor(tool, names);
  const shown = names.slice(0, namesShownMax).join(", ") || "no tools";
  const rest = names.length > namesShownMax ? ` and ${names.length - namesShownMax} more` : "";
  const more = suggestion === "" ? ` It has: ${shown}${rest}.` : suggestion;
  const what = `The server ${JSON.stringify(server)} has no tool ${JSON.stringify(tool.slice(0, 128))}.`;
  throw new AppError("not_found", what + more);
}
