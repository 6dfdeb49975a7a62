import type { FoundServer } from "../interact/attach/client/ask-servers.ts";
import { runFolderIn } from "../interact/attach/run-folder.ts";
import { exitCodes } from "./command-io.ts";
import type { Command } from "./command.ts";
import { jsonFlag } from "./flags.ts";
import { directoryFlags, readStartUp } from "./start-up.ts";

export interface ServerList<Entry> {
  /** Its name in JSON. */
  readonly key: string;
  /** The plural noun for people. */
  readonly title: string;
  entriesOf(server: FoundServer): readonly Entry[];
  lineOf(entry: Entry): string;
}

/** A command that lists items of this user's running servers. */
export function listFromServers<Entry>(list: ServerList<Entry>): Command {
  const { key, title } = list;
  return {
    usage: "[--json]",
    description: `Lists the ${title} of all servers of this user that run now.`,
    flags: { ...jsonFlag, ...directoryFlags },
    arguments: { min: 0, max: 0 },
    async run({ args, io, print }) {
      const { askServers } = await import("../interact/attach/client/ask-servers.ts");
      const { scorpioxDir } = readStartUp(args, io).dirs;
      const { servers, problems } = await askServers(runFolderIn(scorpioxDir));
      const entries = servers.flatMap((server) => list.entriesOf(server));
      if (args.has("json")) print.json({ [key]: entries });
      else for (const entry of entries) print.row(list.lineOf(entry));
      for (const problem of problems) print.warning(problem);
      if (servers.length === 0) print.note("No server is running.");
      else if (entries.length === 0) print.note(`There are no ${title}.`);
      return problems.length > 0 ? exitCodes.failed : exitCodes.done;
    },
  };
}
