import { configFolders } from "../../config/places.ts";
import { listProfiles } from "../../config/profiles.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { columns } from "../print.ts";
import { jsonFlag } from "../json-flag.ts";
import { startUp, startUpFlags } from "../start-up.ts";

export const profileListCommand: Command = {
  usage: "[--json]",
  description: "Lists the profiles: the files scorpiox-env/*.txt; * marks the active one.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print }) {
    const { config, dirs } = startUp(args, io, print);
    const profiles = listProfiles(configFolders(dirs)).map((profile) => ({
      ...profile,
      active: profile.name === config.settings.activeProfile,
    }));
    if (args.has("json")) print.json(profiles);
    else if (profiles.length === 0) print.note("There are no profiles.");
    else {
      const rows = profiles.map(
        ({ name, file, active }) => [`${active ? "*" : " "} ${name}`, file] as const,
      );
      print.line(columns(rows).join("\n"));
    }
    return exitCodes.done;
  },
};
