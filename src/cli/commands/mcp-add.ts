import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { mcpEntryBytesMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import { entriesOfJson, parseJsonc } from "../../upstream/config/parse-server-file.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { removeServer } from "../../upstream/edit/edit-server-file.ts";
import type { NewEntry } from "../../upstream/edit/server-text.ts";
import { foreignEntry } from "../../upstream/import/foreign-entry.ts";
import { type CommandIo, exitCodes, ParsedArguments } from "../command-io.ts";
import type { Command } from "../command.ts";
import { directoryFlags } from "../flags.ts";
import { scopeFlags, serverFileOf } from "../typed-server.ts";
import { readStartUp } from "../start-up.ts";
import { storeFlags, storeServer } from "../store-servers.ts";
import { readAll } from "../terminal-io.ts";
import { beginsCommand, entryFlags, typedEntry } from "../typed-entry.ts";

export const mcpAddCommand: Command = {
  usage: "NAME (URL [-H K:V ...] | [-e K=V ...] -- COMMAND [ARG ...]) [-s project|user] [FLAGS]",
  description:
    "Adds an MCP server, whose tools are then offered beside those of scorpiox-code. Its package (npx,\n" +
    "uvx, docker, …) is fetched now; the server is not started.\n" +
    "Everything after -- is the command, word for word.\n" +
    'The "claude mcp add" line from the documentation of a server works too.',
  examples: [
    "mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
    "mcp add remote https://example.com/mcp -H 'Authorization: Bearer ${TOKEN}'",
  ],
  flags: { ...entryFlags, ...storeFlags },
  arguments: { min: 1, max: Number.MAX_SAFE_INTEGER },
  needsPerson: true,
  beginsCommand,
  async run(context) {
    const { args, io } = context;
    const entry = typedEntry(args);
    // Here --cwd is the server's folder, and not that of this process.
    const start = readStartUp(new ParsedArguments(new Map(), []), io);
    return storeServer(context, start, args.positionals[0] ?? "", entry);
  },
};

export const mcpAddJsonCommand: Command = {
  usage: "NAME '{JSON}' [FLAGS]",
  description:
    "Adds an MCP server from the JSON in its documentation, alone or inside mcpServers; - reads it from stdin.",
  examples: ['mcp add-json time \'{"command": "uvx", "args": ["mcp-server-time"]}\''],
  flags: { ...storeFlags, ...directoryFlags },
  arguments: { min: 2, max: 2 },
  needsPerson: true,
  async run(context) {
    const { args, io } = context;
    const [name = "", words = ""] = args.positionals;
    const text = words === "-" ? await textOf(io) : words;
    return storeServer(context, readStartUp(args, io), name, readJson(name, text));
  },
};

async function textOf(io: CommandIo): Promise<string> {
  return new TextDecoder().decode(await readAll(io.stdin, mcpEntryBytesMax, "Standard input"));
}

function readJson(name: string, text: string): NewEntry {
  const { parsed } = parseJsonc(text.replace(/^\uFEFF/, ""));
  if (parsed.kind === "fault") {
    const { place } = parsed;
    const where = place === undefined ? "" : ` in line ${place.line}, column ${place.column}`;
    throw new AppError("usage", `The JSON cannot be read: ${parsed.text}${where}.`);
  }
  const read = foreignEntry(entryIn(name, parsed.value), {});
  if (read.kind === "fault") throw new AppError("usage", `The server ${name} ${read.text}.`);
  return read.entry;
}

/** The entry itself, or of several entries the only one or the one of this name. */
function entryIn(name: string, root: unknown): unknown {
  if (isObject(root) && addressKeys.some((key) => typeof root[key] !== "object" && key in root)) {
    return root;
  }
  if (isObject(root) && Array.isArray(root.command)) return root;
  const found = entriesOfJson(root);
  const entries = found.kind === "entries" ? found.entries : [];
  const [only, ...others] = entries;
  if (only === undefined) {
    throw new AppError("usage", 'No server found in the JSON: it needs "command" or "url".');
  }
  if (others.length === 0) return only.value;
  const named = entries.findLast((entry) => entry.name === name);
  if (named !== undefined) return named.value;
  const names = entries.map((entry) => String(entry.name));
  const message = `The JSON has ${entries.length} servers, and none is called ${name}.${suggestionFor(name, names)} There are: ${names.join(", ")}`;
  throw new AppError("usage", message);
}

const addressKeys = ["command", "cmd", "url", "serverUrl", "httpUrl", "uri"];

export const mcpRemoveCommand: Command = {
  usage: "NAME [--scope project|user] [FLAGS]",
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
    print.done(`${name} is removed from ${target.file}`);
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
  const flag = elsewhere.rank === 1 ? "--scope user" : `--file ${elsewhere.file}`;
  const remedy = `${product.name} mcp remove ${name} ${flag}`;
  return new AppError("not_found", `${start} It is in ${elsewhere.file}: ${remedy}`);
}
