import type { Command } from "../command.ts";
import { ParsedArguments } from "../flags.ts";
import { readStartUp } from "../start-up.ts";
import { storeFlags, storeServer } from "../store-servers.ts";
import { beginsCommand, entryFlags, typedEntry } from "../typed-entry.ts";

export const mcpAddCommand: Command = {
  usage: "NAME (URL [-H K:V ...] | [-e K=V ...] -- COMMAND [ARG ...]) [-s project|global] [FLAGS]",
  description:
    "Adds another MCP server: its tools are then offered beside ours. Its package (npx, uvx,\n" +
    "docker, …) is fetched at once, and nothing is started.\n" +
    "What follows -- is the command, word for word. For instance:\n" +
    "  scorpiox-code mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n" +
    "  scorpiox-code mcp add remote https://example.com/mcp -H 'Authorization: Bearer ${TOKEN}'\n" +
    'The line that the documentation of a server has for "claude mcp add" works too.',
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
