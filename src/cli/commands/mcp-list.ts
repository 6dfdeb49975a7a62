import { product } from "../../base/product.ts";
import { placeText } from "../../upstream/trust/launch-lines.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { columns } from "../print.ts";
import { jsonFlag } from "../json-flag.ts";
import { readServers, serverRows, type ServerRow } from "../server-rows.ts";
import { readStartUp, startUpFlags } from "../start-up.ts";

export const mcpListCommand: Command = {
  usage: "[--json] [FLAGS]",
  description:
    "Lists your MCP servers from all configuration files: the source of each, whether it may be started, and which entries\n" +
    "of the same name it overrides. Starts nothing.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print }) {
    const start = readStartUp(args, io);
    const config = readServers(start, io, print);
    const rows = await serverRows(config, start);
    if (args.has("json")) {
      const { isOn, problems, notices } = config;
      print.json({ on: isOn, servers: rows, problems, notices });
    } else if (rows.length > 0) {
      print.line(columns(rows.map(cellsOf)).join("\n"));
    } else {
      print.note(`You have no MCP servers. Add one: ${product.name} mcp add`);
    }
    if (rows.some(({ trust, enabled }) => trust === "pending" && enabled)) {
      print.note(`Approve pending servers: ${product.name} mcp approve`);
    }
    return exitCodes.done;
  },
};

function cellsOf(row: ServerRow): readonly string[] {
  const state = row.enabled ? row.trust : "disabled";
  const standIn = row.standIn === null ? "" : `; until then ${placeText(row.standIn.file)}`;
  const from = `${row.scope}: ${placeText(row.file)}`;
  const shadowed = row.shadowed.map(({ file }) => placeText(file));
  const hides = shadowed.length === 0 ? "" : ` (overrides ${shadowed.join(", ")})`;
  const roots = row.roots === null ? "" : ` (roots: ${[row.roots].flat().join(", ")})`;
  return [row.name, row.transport, `${state}${standIn}`, `${from}${hides}`, wordsOf(row) + roots];
}

function wordsOf({ launch }: ServerRow): string {
  const { url, command, args } = launch;
  if (typeof url === "string") return url;
  const words = [command, ...(Array.isArray(args) ? args : [])];
  // JSON shows where a word with blanks begins and ends.
  return words
    .map((word) => (/^[\w@%+=:,./*-]+$/.test(String(word)) ? word : JSON.stringify(word)))
    .join(" ");
}
