import { resolve } from "node:path";
import type { ConfigDirs } from "../../config/places.ts";
import type { EntryField } from "../../upstream/edit/entry-fields.ts";
import { givenRoots } from "../../upstream/manager/given-roots.ts";
import type { ServerEntry } from "../../upstream/config/server-entry.ts";
import { AppError } from "../../base/errors.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { entryFields } from "../../upstream/edit/entry-fields.ts";
import { placeText } from "../../upstream/trust/launch-lines.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { columns } from "../print.ts";
import { jsonFlag } from "../json-flag.ts";
import { placeOf, readServers, trustOf } from "../server-rows.ts";
import { shownEntry } from "../shown-entry.ts";
import { readStartUp, startUpFlags } from "../start-up.ts";

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
  async run({ args, io, print }) {
    const [name = ""] = args.positionals;
    const start = readStartUp(args, io);
    const { servers } = readServers(start, io, print);
    const server = servers.get(name);
    if (server === undefined) {
      const known = suggestionFor(name, servers.keys());
      throw new AppError("not_found", `There is no server ${name}.${known}`);
    }
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
    print.line(`${name}  ${trust}  ${entry.origin.scope}: ${file}`);
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
