import { existsSync, realpathSync } from "node:fs";

import type { StateScope } from "../base/server-events.ts";
import { StoreFile } from "../state/store/store-file.ts";
import type { StoreCall } from "../state/store/store-methods.ts";
import { storePathIn } from "../state/store/store-path.ts";
import type { CommandIo } from "./command-io.ts";
import type { Printer } from "./print.ts";
import type { StartUp } from "./start-up.ts";

/** The workspace of a command's tasks: `--workspace`, `--cwd` or the current directory. */
export function taskScope({ workspaceName, cwdFlag }: StartUp, io: CommandIo): StateScope {
  return { workspace: workspaceName ?? realFolder(cwdFlag ?? io.cwd), owner: "" };
}

/** The same as a server of that folder knows it by. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** False when nothing was ever kept: a command that only looks makes no file. */
export function hasStore({ dirs }: StartUp): boolean {
  return existsSync(storePathIn(dirs.scorpioxDir));
}

/**
 * Asks the store in this process: a command has nobody to keep waiting.
 * @throws AppError as the method does, `system` when the file cannot be used
 */
export function askStore({ dirs }: StartUp, call: StoreCall, print: Printer): unknown {
  const file = new StoreFile(storePathIn(dirs.scorpioxDir));
  try {
    const [outcome] = file.perform([call]);
    if (outcome?.kind === "refused") throw outcome.error;
    return outcome?.value;
  } finally {
    for (const notice of file.takeNotices()) print.warning(notice);
    file.close();
  }
}
