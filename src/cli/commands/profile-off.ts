import { activeProfileKey } from "../../config/keys.ts";
import { unsetInEnvFile } from "../../config/write-env-file.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { fileOfLevel, userLevelFlag } from "../config-file-level.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";
import { noteStrongerSource } from "../stronger-source.ts";

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
