import { formatAmount } from "../../base/amount-text.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import { definitionIn } from "../../upstream/adapters/tool-definitions.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { formatFlag, formatOf } from "../format-flag.ts";
import { columns } from "../print.ts";
import { jsonFlag } from "../json-flag.ts";
import { startUp, startUpFlags } from "../start-up.ts";
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
  async run({ args, io, print, services }) {
    const format = formatOf(args);
    const start = startUp(args, io, print);
    const open = await services.createRouter(start);
    try {
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
    } finally {
      await open.close();
    }
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
