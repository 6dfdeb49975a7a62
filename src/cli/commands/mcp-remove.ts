import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { removeServer } from "../../upstream/edit/edit-server-file.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { scopeFlags, serverFileOf } from "../mcp-scope.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";

export const mcpRemoveCommand: Command = {
  usage: "NAME [--scope project|global] [FLAGS]",
  description:
    "Removes a server from the configuration. Comments, order and everything else in the file stay as they are.",
  flags: { ...scopeFlags, ...directoryFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run({ args, io, print }) {
    const [name = ""] = args.positionals;
    const start = readStartUp(args, io);
    const { target } = serverFileOf(args, start.dirs, io.cwd);
    if (!(await removeServer(target, name))) {
      const { servers } = loadUpstreamConfig(configPartsOf(start, io.env));
      throw unknown(name, target.file, servers);
    }
    print.note(`${name} is no longer in ${target.file}`);
    const left = loadUpstreamConfig(configPartsOf(start, io.env)).servers.get(name);
    if (left !== undefined) {
      print.note(`${left.entry.origin.file ?? "The environment"} still has a server ${name}.`);
    }
    return exitCodes.done;
  },
};

type Servers = ReturnType<typeof loadUpstreamConfig>["servers"];

function unknown(name: string, file: string, servers: Servers): AppError {
  const elsewhere = servers.get(name)?.entry.origin;
  const start = `There is no server ${name} in ${file}.`;
  if (elsewhere === undefined) {
    return new AppError("not_found", `${start}${suggestionFor(name, servers.keys())}`);
  }
  if (elsewhere.file === undefined) {
    return new AppError("not_found", `${start} It comes from the environment (MCP_SERVER).`);
  }
  const flag = elsewhere.rank === 1 ? "--scope global" : `--file ${elsewhere.file}`;
  const remedy = `${product.name} mcp remove ${name} ${flag}`;
  return new AppError("not_found", `${start} It is in ${elsewhere.file}: ${remedy}`);
}
