import { resolve } from "node:path";

import { product } from "../../base/product.ts";
import type { ConfigDirs } from "../../config/places.ts";
import { type EntryField, entryFields } from "../../upstream/config/entry-options.ts";
import type { ServerEntry } from "../../upstream/config/server-entry.ts";
import { givenRoots } from "../../upstream/config/given-roots.ts";
import { placeText } from "../../upstream/trust/launch-approval.ts";
import { columns, type CommandIo, exitCodes, type Printer } from "../command-io.ts";
import type { Command } from "../command.ts";
import { openServers, readServers, serverNamed, trustOf } from "../configured-servers.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { placeOf, type ServerRow, serverRows } from "../server-rows.ts";
import { readStartUp } from "../start-up.ts";
import { approvalStates, serverStates, type StateWord } from "../state-words.ts";
import { connectedView, readStatusViews, statusLines, type StatusView } from "../status-lines.ts";
import { shownEntry } from "../typed-server.ts";

export const mcpListCommand: Command = {
  usage: "[--json] [FLAGS]",
  description:
    "Lists your MCP servers from all configuration files: the source of each, whether it may be started, and which entries\n" +
    "of the same name it overrides. Starts nothing.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print }) {
    const start = readStartUp(args, io);
    const config = readServers(start, io, print);
    const rows = await serverRows(config, start);
    if (args.has("json")) {
      const { isOn, problems, notices } = config;
      print.json({ on: isOn, servers: rows, problems, notices });
    } else if (rows.length > 0) {
      printRows(rows, io, print);
    } else {
      print.note(`You have no MCP servers. Add one: ${product.name} mcp add`);
    }
    if (rows.some(({ trust, enabled }) => trust === "pending" && enabled)) {
      print.note(`Approve servers of the project: ${product.name} mcp approve`);
    }
    return exitCodes.done;
  },
};

/** A line for each server; on a terminal that is too narrow, its place and its launch are below its name. */
function printRows(rows: readonly ServerRow[], io: CommandIo, print: Printer): void {
  const home = io.stdout.isTerminal ? io.homeDir : undefined;
  const cells = rows.map((row) => cellsOf(row, home));
  const lines = columns(cells).map((line) => line.trimStart());
  const { columns: width = Number.POSITIVE_INFINITY } = io.stdout;
  const isNarrow = lines.some((line) => line.length + 2 > width);
  const heads = isNarrow ? columns(cells.map((row) => row.slice(0, 3))) : lines;
  for (const [at, row] of rows.entries()) {
    print.marked(stateOf(row).mark, (heads[at] ?? "").trimStart());
    if (isNarrow) for (const cell of (cells[at] ?? []).slice(3)) print.row(`    ${cell}`);
  }
}

function stateOf({ enabled, trust }: ServerRow): StateWord {
  return enabled ? approvalStates[trust] : serverStates.disabled;
}

/** As `--scope` has it. */
function scopeWord(scope: ServerRow["scope"]): string {
  return scope === "global" ? "user" : scope.replace("-", " ");
}

/** @param home its path is written `~` */
function cellsOf(row: ServerRow, home: string | undefined): readonly string[] {
  const placeOfFile = (file: string | null): string => {
    const place = placeText(file);
    return home !== undefined && place.startsWith(`${home}/`)
      ? `~${place.slice(home.length)}`
      : place;
  };
  const state = stateOf(row).word;
  const standIn = row.standIn === null ? "" : `; until then ${placeOfFile(row.standIn.file)}`;
  const from = `${scopeWord(row.scope)}: ${placeOfFile(row.file)}`;
  const shadowed = row.shadowed.map(({ file }) => placeOfFile(file));
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

/** The default of `roots` for an entry without them; references in its arguments are not filled in. */
async function usualRoots(
  entry: ServerEntry,
  dirs: Pick<ConfigDirs, "homeDir" | "projectDir">,
): Promise<readonly EntryField[]> {
  if (entry.options.roots !== undefined) return [];
  const { launch } = entry;
  const base = dirs.projectDir ?? dirs.homeDir;
  const placed =
    launch.transport === "stdio" ? { ...launch, cwd: resolve(base, launch.cwd ?? ".") } : launch;
  return [{ key: "roots", value: await givenRoots(entry, placed, dirs), source: "default" }];
}

export const mcpGetCommand: Command = {
  usage: "NAME [--json] [FLAGS]",
  description:
    "Shows the configuration in effect for a server: every setting and its source, secrets hidden. Starts nothing.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: false,
  async run({ args, io, print }) {
    const [name = ""] = args.positionals;
    const start = readStartUp(args, io);
    const server = serverNamed(readServers(start, io, print), name);
    const { entry, identity, shadowed, standIn } = server;
    const trust = await trustOf(server, start);
    const roots = await usualRoots(entry, start.dirs);
    const fields = [...entryFields(entry), ...roots];
    const shown = shownEntry(Object.fromEntries(fields.map(({ key, value }) => [key, value])));
    if (args.has("json")) {
      print.json({
        name,
        ...placeOf(entry.origin),
        trust,
        identity,
        fields: Object.fromEntries(
          fields.map(({ key, source }) => [key, { value: shown[key] ?? null, source }]),
        ),
        standIn: standIn === undefined ? null : placeOf(standIn.entry.origin),
        shadowed: shadowed.map(({ origin }) => placeOf(origin)),
      });
      return exitCodes.done;
    }
    const file = placeText(entry.origin.file);
    print.marked(
      approvalStates[trust].mark,
      `${name}  ${approvalStates[trust].word}  ${scopeWord(entry.origin.scope)}: ${file}`,
    );
    const rows = fields.map(({ key, source }): [string, string] => [
      key,
      `${JSON.stringify(shown[key])}  (${source === "entry" ? file : "default"})`,
    ]);
    for (const row of columns(rows)) print.line(row);
    for (const { origin } of shadowed)
      print.line(`overrides the entry in ${placeText(origin.file)}`);
    if (standIn !== undefined && trust !== "approved") {
      print.line(
        `until it is approved, the entry in ${placeText(standIn.entry.origin.file)} applies`,
      );
    }
    return exitCodes.done;
  },
};

export const mcpStatusCommand: Command = {
  usage: "[--connect] [--json]",
  description:
    "Shows the status of your MCP servers in each running scorpiox-code: state and reason, how each was started, its offer,\n" +
    "its calls. If none runs in this project: the last known status, without starting anything.",
  flags: {
    connect: {
      kind: "switch",
      help: "Start all servers of this project now and show their status.",
    },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const views = args.has("connect")
      ? [await connectedView(view, context)]
      : await readStatusViews(view);
    if (args.has("json")) print.json({ instances: views });
    else for (const view of views) printView(view, print);
    if (views.every(({ servers }) => servers.length === 0)) {
      print.note(`You have no MCP servers. Add one: ${product.name} mcp add`);
    }
    return exitCodes.done;
  },
};

function printView(view: StatusView, print: Printer): void {
  print.line(headOf(view));
  for (const info of view.servers) {
    // Without a process that goes on nothing is tried again.
    const shown = view.source === "running" ? info : { ...info, retryInMs: null };
    const [head = "", ...rest] = statusLines(shown);
    print.marked(serverStates[info.state].mark, head, "  ");
    for (const line of rest) print.line(`    ${line}`);
  }
}

function headOf({ source, pid, projectDir, version }: StatusView): string {
  const where = projectDir === null ? "no project" : placeText(projectDir);
  switch (source) {
    case "running":
      return `${where}: ${product.name} ${version} runs as process ${pid}`;
    case "connected":
      return `${where}: connected just now`;
    case "configuration":
      return `${where}: ${product.name} does not run here`;
  }
}
