import type { Command } from "../command.ts";
import { callTool } from "../call-tool.ts";
import { formatFlag, formatOf } from "../format-flag.ts";
import { startUp, startUpFlags } from "../start-up.ts";

export const callCommand: Command = {
  usage: "TOOL ['{JSON}' | KEY=VALUE ... | -] [FLAGS]",
  description:
    "Calls a tool and prints the text of its result. Exits with 1 when the tool failed, 3 when it does not exist, 4 when it\n" +
    "may not be called. - in the place of the arguments reads them from stdin; in the place of the tool it reads a whole call.\n" +
    "Put arguments that begin with - behind --. For instance:\n" +
    "  scorpiox-code call Bash command='git status' timeout=5000",
  flags: {
    json: { kind: "switch", help: "Print the whole result as JSON." },
    ...formatFlag,
    ...startUpFlags,
  },
  arguments: { min: 1, max: Number.MAX_SAFE_INTEGER },
  async run(context) {
    const format = formatOf(context.args) ?? (context.args.has("json") ? "mcp" : undefined);
    const start = startUp(context.args, context.io, context.print);
    const open = await context.services.createRouter(start);
    try {
      return await callTool(context, { start, open, format, words: context.args.positionals });
    } finally {
      await open.close();
    }
  },
};
