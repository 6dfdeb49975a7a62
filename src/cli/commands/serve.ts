import type { Command, CommandListing } from "../command.ts";
import { startUpFlags } from "../flags.ts";
import { httpFlags, readHttpSettings } from "../http-flags.ts";
import { startServing } from "../start-up.ts";

const serveCommand: Command = {
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
  needsPerson: false,
  async run({ args, io, print, services }) {
    const http = readHttpSettings(args);
    const start = startServing(args, io, print);
    return http === undefined ? services.serveStdio(start) : services.serveHttp(start, http);
  },
};

/** Of the command that runs when none is named. */
export const serveListing: CommandListing = {
  name: "serve",
  summary: "Serve one MCP client over stdin and stdout (the default)",
  load: () => Promise.resolve(serveCommand),
};
