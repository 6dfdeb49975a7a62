import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { readApprovals } from "../hook-rows.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";
import { AppError } from "../../base/errors.ts";

export const hooksRevokeCommand: Command = {
  usage: "[EVENT/NAME ...]",
  description: "Withdraws the approval of the project's hooks; of all of them if none is named.",
  flags: { ...directoryFlags },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  needsPerson: true,
  async run({ args, io, print }) {
    const approvals = readApprovals(readStartUp(args, io));
    const digests = new Map(await approvals.read());
    const keys = args.positionals.length === 0 ? [...digests.keys()] : args.positionals;
    for (const key of keys) {
      if (digests.delete(key)) continue;
      throw new AppError(
        "not_found",
        `The hook ${key} is not approved. See: scorpiox-code hooks list`,
      );
    }
    await approvals.write(digests);
    print.note(keys.length === 0 ? "Nothing was approved." : `Revoked: ${keys.join(", ")}`);
    return exitCodes.done;
  },
};
