import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { type AddedServers, addServers } from "../../upstream/edit/edit-server-file.ts";
import { planImport } from "../../upstream/import/plan-import.ts";
import { readForeignFile } from "../../upstream/import/read-foreign-file.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { directoryFlags, jsonFlag } from "../flags.ts";
import { importClientIds, importSourceOf, reportImport } from "../import-report.ts";
import { readStartUp, type StartUp } from "../start-up.ts";
import { installServers, runnerOf } from "../store-servers.ts";
import { createAsker } from "../terminal-io.ts";
import { scopeFlags, serverFileOf } from "../typed-server.ts";

export const mcpImportCommand: Command = {
  usage: "CLIENT|FILE [--dry-run] [--scope project|user] [FLAGS]",
  description:
    "Imports the MCP servers of another client, or of a configuration file. Starts nothing. Permissions to run tools without\n" +
    `asking are not imported. Clients: ${importClientIds.join(", ")}.`,
  examples: ["mcp import cursor -s user --dry-run"],
  flags: {
    "dry-run": { kind: "switch", help: "Show the entries without writing them." },
    install: {
      kind: "switch",
      help: "Fetch their packages (npx, uvx, docker, …) now, without asking.",
    },
    force: { kind: "switch", help: "Replace servers that are already in the file." },
    ...scopeFlags,
    ...jsonFlag,
    ...directoryFlags,
  },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run(context) {
    const { args, io } = context;
    const start = readStartUp(args, io);
    const place = serverFileOf(args, start.dirs, io.cwd);
    const source = importSourceOf(args.positionals[0] ?? "", context, start, place);
    const raws = source.files.flatMap((file) => readForeignFile(file, start.dirs.projectDir) ?? []);
    const parts = configPartsOf(start, io.env);
    const steps = planImport(raws, source.dialect, place.origin, parts);
    const entries = new Map(
      steps.flatMap((step) => (step.kind === "take" ? [[step.name, step.entry] as const] : [])),
    );
    const isDryRun = args.has("dry-run");
    const isForced = args.has("force");
    const done = isDryRun ? undefined : await addServers(place.target, entries, isForced);
    reportImport(context, { source, steps, place, done });
    if (done !== undefined) await installWritten(context, start, done);
    return exitCodes.done;
  },
};

/** Fetches packages of servers that need no approval: those of a project are fetched when they are approved. */
async function installWritten(
  context: CommandContext,
  start: StartUp,
  { added, replaced }: AddedServers,
): Promise<void> {
  const { args, io, print } = context;
  const names = new Set([...added, ...replaced]);
  const { servers } = loadUpstreamConfig(configPartsOf(start, io.env));
  const wanted = [...servers.values()].filter(
    (server) =>
      names.has(server.entry.name) &&
      server.entry.origin.trust === "user" &&
      runnerOf(server) !== undefined,
  );
  if (wanted.length === 0) return;
  const named = wanted.map(({ entry }) => entry.name).join(", ");
  const ask = async (): Promise<boolean> =>
    io.stdinIsTerminal &&
    !args.has("json") &&
    createAsker(io)(`Fetch the packages of ${named} now?`);
  if (args.has("install") || (await ask())) return installServers(context, start, wanted);
  print.note(
    `The packages of ${named} are fetched at the first start. To fetch them now, add --install`,
  );
}
