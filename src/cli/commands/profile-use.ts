import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { activeProfileKey } from "../../config/keys.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { configFolders } from "../../config/places.ts";
import { listProfiles } from "../../config/profiles.ts";
import { setInEnvFile } from "../../config/write-env-file.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { fileOfLevel, userLevelFlag } from "../config-file-level.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";
import { noteStrongerSource } from "../stronger-source.ts";

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
