import { AppError } from "../../base/errors.ts";
import { unsetInEnvFile } from "../../config/write-env-file.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { fileOfLevel, levelFlag } from "../config-file-level.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";
import { noteStrongerSource } from "../stronger-source.ts";

export const configUnsetCommand: Command = {
  usage: "KEY [--level global|user|project]",
  description: "Removes KEY from a scorpiox-env.txt, by default the one in ~/.scorpiox.",
  flags: { ...levelFlag, ...directoryFlags },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run({ args, io, print }) {
    const [key = ""] = args.positionals;
    const target = fileOfLevel(args.text("level"), readStartUp(args, io).dirs);
    if (!unsetInEnvFile(target, key)) {
      throw new AppError("not_found", `${key} is not set in ${target.file}`);
    }
    print.note(`${key} is removed from ${target.file}`);
    noteStrongerSource(key, target.file, readStartUp(args, io).config, print);
    return exitCodes.done;
  },
};
