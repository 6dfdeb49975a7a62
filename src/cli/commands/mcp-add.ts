import type { Command } from "../command.ts";
import { ParsedArguments } from "../flags.ts";
import { readStartUp } from "../start-up.ts";
import { storeFlags, storeServer } from "../store-servers.ts";
import { beginsCommand, entryFlags, typedEntry } from "../typed-entry.ts";

export const mcpAddCommand: Command = {
  usage: "NAME (URL [-H K:V ...] | [-e K=V ...] -- COMMAND [ARG ...]) [-s project|global] [FLAGS]",
  description:
    "Adds an MCP server, whose tools are then offered beside those of scorpiox-code. Its package (npx,\n" +
    "uvx, docker, …) is fetched now; the server is not started.\n" +
    "Everything after -- is the command, word for word. For instance:\n" +
    "  scorpiox-code mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n" +
    "  scorpiox-code mcp add remote https://example.com/mcp -H 'Authorization: Bearer ${TOKEN}'\n" +
    'The "claude mcp add" line from the documentation of a server works too.',
  flags: { ...entryFlags, ...storeFlags },
  arguments: { min: 1, max: Number.MAX_SAFE_INTEGER },
  needsPerson: true,
  beginsCommand,
  async run(context) {
    const { args, io } = context;
    const entry = typedEntry(args);
    // Here --cwd is the server's folder, and not ours.
    const start = readStartUp(new ParsedArguments(new Map(), []), io);
    return storeServer(context, start, args.positionals[0] ?? "", entry);
  },
};
