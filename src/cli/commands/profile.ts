import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { setInEnvFile, unsetInEnvFile } from "../../config/env-file.ts";
import { activeProfileKey } from "../../config/keys.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { configFolders } from "../../config/places.ts";
import { listProfiles } from "../../config/profiles.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { fileOfLevel, noteStrongerSource, userLevelFlag } from "../config-file-level.ts";
import { jsonFlag } from "../flags.ts";
import { columns } from "../print.ts";
import { directoryFlags, readStartUp, startUp, startUpFlags } from "../start-up.ts";

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

export const profileOffCommand: Command = {
  usage: "[--level global|user]",
  description: "Uses no profile, from the next start on.",
  flags: { ...userLevelFlag, ...directoryFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: true,
  async run({ args, io, print }) {
    const target = fileOfLevel(args.text("level"), readStartUp(args, io).dirs);
    const wasSet = unsetInEnvFile(target, activeProfileKey.name);
    const what = wasSet ? "no profile is selected any more in" : "no profile was selected in";
    print.note(`${what} ${target.file}`);
    noteStrongerSource(activeProfileKey.name, target.file, readStartUp(args, io).config, print);
    return exitCodes.done;
  },
};

export const profileUseCommand: Command = {
  usage: "NAME [--level global|user]",
  description: "Makes NAME the active profile, from the next start on.",
  flags: { ...userLevelFlag, ...directoryFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run({ args, io, print }) {
    const [name = ""] = args.positionals;
    const { dirs } = readStartUp(args, io);
    const names = listProfiles(configFolders(dirs)).map((profile) => profile.name);
    if (!names.includes(name)) throw unknownProfile(name, names, dirs.scorpioxDir);
    const target = fileOfLevel(args.text("level"), dirs);
    setInEnvFile(target, activeProfileKey.name, name);
    print.note(`the active profile is ${name}, set in ${target.file}`);
    noteStrongerSource(activeProfileKey.name, target.file, readStartUp(args, io).config, print);
    return exitCodes.done;
  },
};

function unknownProfile(name: string, names: readonly string[], scorpioxDir: string): AppError {
  const known =
    names.length === 0
      ? ` A profile is a file: ${join(scorpioxDir, "scorpiox-env", "<name>.txt")}`
      : ` There are: ${names.join(", ")}`;
  return new AppError(
    "not_found",
    `There is no profile ${name}.${suggestionFor(name, names) || known}`,
  );
}
