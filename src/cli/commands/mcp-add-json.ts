import { AppError } from "../../base/errors.ts";
import { mcpEntryBytesMax } from "../../base/upstream-limits.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { entriesOfJson, isTable } from "../../upstream/config/json-shapes.ts";
import { parseJsonc } from "../../upstream/config/parse-jsonc.ts";
import type { NewEntry } from "../../upstream/edit/server-text.ts";
import { foreignEntry } from "../../upstream/import/foreign-entry.ts";
import type { Command } from "../command.ts";
import type { CommandIo } from "../command-io.ts";
import { readAll } from "../read-all.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";
import { storeFlags, storeServer } from "../store-servers.ts";

export const mcpAddJsonCommand: Command = {
  usage: "NAME '{JSON}' [FLAGS]",
  description:
    "Adds an MCP server from the JSON in its documentation, alone or inside mcpServers; - reads it from stdin.\n" +
    "For instance:\n" +
    '  scorpiox-code mcp add-json time \'{"command": "uvx", "args": ["mcp-server-time"]}\'',
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
  if (isTable(root) && addressKeys.some((key) => typeof root[key] !== "object" && key in root)) {
    return root;
  }
  if (isTable(root) && Array.isArray(root.command)) return root;
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
