import type { ToolListing } from "../../protocol/tool-types.ts";
import { commandLineClient } from "../command-line-client.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { columns } from "../help-text.ts";
import { jsonFlag } from "../json-flag.ts";
import { startUp, startUpFlags } from "../start-up.ts";

export const toolsCommand: Command = {
  usage: "[--format mcp] [FLAGS]",
  description:
    "Lists the tools that a client is offered: their names, or all that it is told of them.",
  flags: {
    format: { kind: "text", choices: ["mcp"], help: "Print JSON as tools/list of MCP has it." },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print, services }) {
    const start = startUp(args, io, print);
    const open = await services.createRouter(start);
    const client = commandLineClient(start, io.cwd);
    try {
      const tools = await (open.router.listFor?.(client) ?? open.router.list());
      if (args.has("json") || args.has("format")) print.json({ tools });
      else if (tools.length > 0) print.line(columns(tools.map(rowOf)).join("\n"));
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
