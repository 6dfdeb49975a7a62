import { formatAmount } from "../../base/cut-text.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import { definitionIn } from "../../upstream/adapters/tool-formats.ts";
import { callTool } from "../call-tool.ts";
import { columns, exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { formatFlag, formatOf, jsonFlag, startUpFlags } from "../flags.ts";
import { startUp } from "../start-up.ts";
import { listTools } from "../tool-list.ts";

export const toolsCommand: Command = {
  usage: "[--format mcp|openai|anthropic] [--server NAME] [--all] [FLAGS]",
  description: "Lists the tools that a client is offered: their names, or their full definitions.",
  flags: {
    ...formatFlag,
    server: {
      kind: "text",
      placeholder: "NAME",
      help: "Only the tools of this MCP server, hidden ones included.",
    },
    all: { kind: "switch", help: "Also the tools that a client finds only with tool_search." },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print, services }) {
    const format = formatOf(args);
    const start = startUp(args, io, print);
    await using open = await services.openTools(start);
    const filter = { server: args.text("server"), isAll: args.has("all") };
    const { tools, hiddenCount } = await listTools(open, filter, start, io);
    if (format !== undefined) print.json(tools.map((tool) => definitionIn(format, tool)));
    else if (args.has("json")) print.json({ tools });
    else if (tools.length > 0) print.line(columns(tools.map(rowOf)).join("\n"));
    if (hiddenCount > 0) {
      const amount = formatAmount(hiddenCount, "tool");
      print.note(`${amount} of them hidden: clients find them with tool_search.`);
    }
    return exitCodes.done;
  },
};

function rowOf(tool: ToolListing): [string, string] {
  return [tool.name, firstSentence(tool.description)];
}

/** Up to the first full stop that is not one of "e.g." or "i.e.". */
function firstSentence(description: string): string {
  const line = description.split("\n", 1)[0] ?? "";
  return /^.*?(?<!\b(?:e\.g|i\.e))\.(?=\s)/.exec(line)?.[0] ?? line;
}

export const callCommand: Command = {
  usage: "TOOL ['{JSON}' | KEY=VALUE ... | -] [FLAGS]",
  description:
    "Calls a tool and prints the text of its result. Exits with 1 when the tool failed, 3 when it does not exist, 4 when it\n" +
    "may not be called. - in the place of the arguments reads them from stdin; in the place of the tool it reads a whole call.\n" +
    "Put arguments that begin with - behind --.",
  examples: [
    "call Bash command='git status' timeout=5000",
    "call ReadDocs url=https://example.com/",
  ],
  flags: {
    json: { kind: "switch", help: "Print the whole result as JSON." },
    ...formatFlag,
    ...startUpFlags,
  },
  arguments: { min: 1, max: Number.MAX_SAFE_INTEGER },
  needsPerson: false,
  async run(context) {
    const format = formatOf(context.args) ?? (context.args.has("json") ? "mcp" : undefined);
    const start = startUp(context.args, context.io, context.print);
    await using open = await context.services.openTools(start);
    return await callTool(context, { start, open, format, words: context.args.positionals });
  },
};
