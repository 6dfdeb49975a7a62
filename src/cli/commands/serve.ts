import type { Command } from "../command.ts";
import { httpFlags, readHttpSettings } from "../http-flags.ts";
import { startUp, startUpFlags } from "../start-up.ts";

export const serveCommand: Command = {
  usage: "[FLAGS]",
  description:
    "Serves one MCP client over stdin and stdout, until it closes stdin. This is the default command, except in a terminal.\n" +
    "With --http it serves any number of clients over Streamable HTTP, until it is stopped.",
  flags: {
    ...startUpFlags,
    ...httpFlags,
    client: {
      kind: "text",
      placeholder: "ID",
      help: "Apply the limits of this client, whatever name it gives; for instance claude-code.",
    },
  },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print, services }) {
    const http = readHttpSettings(args);
    const start = startUp(args, io, print);
    const client = args.text("client");
    if (client !== undefined && !start.clients.hasClient(client)) {
      // An older version may be started by what a newer one has installed: it serves all the same.
      const known = start.clients.ids().join(", ");
      print.warning(
        `--client ${client} is not known; using the default limits. Known clients: ${known}`,
      );
    }
    if (http !== undefined) return services.serveHttp(start, http);
    return services.serveStdio(start);
  },
};
