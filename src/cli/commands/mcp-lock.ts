import { join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import { replaceFile } from "../../config/replace-file.ts";
import { lockOf } from "../../upstream/trust/lock/lock-of.ts";
import { type ProjectLock, printLock } from "../../upstream/trust/lock/project-lock.ts";
import { lockFileName, readLock } from "../../upstream/trust/lock/read-lock.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { openServers } from "../configured-servers.ts";
import { jsonFlag } from "../json-flag.ts";
import { askAll, projectOf } from "../lockable-servers.ts";
import { startUpFlags } from "../start-up.ts";

/** A lock is written for others to read: it is committed with the project. */
const lockFileMode = 0o644;

export const mcpLockCommand: Command = {
  usage: "[--json]",
  description:
    "Connects to all servers and writes mcp.lock in the project's folder: how each is started, and a hash of everything\n" +
    "that it offers. With this file, a server whose tools are not those of the file is stopped at its first contact.\n" +
    "Nothing is written when a server cannot be reached.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const projectDir = projectOf(view);
    if (!view.config.isOn) {
      throw new AppError(
        "config",
        `Other servers are switched off: ${lockFileName} would lose all of them, and was not written.`,
      );
    }
    const reading = await readLock(projectDir);
    const before = reading.kind === "lock" ? reading.lock : undefined;
    const { reached, unreachable } = await askAll(context, view);
    for (const { name, reason } of unreachable) print.error(`${name}: ${reason}`);
    if (unreachable.length > 0) {
      print.note(`${lockFileName} was not written: not all servers could be reached.`);
      return exitCodes.unreachable;
    }
    const { toolNameMax } = view.start.config.settings.mcp;
    const lock = lockOf(reached, { toolNameMax, before });
    const isChanged = writeLock(projectDir, lock, before);
    if (args.has("json")) print.json({ file: join(projectDir, lockFileName), changed: isChanged });
    else print.note(`${lockFileName} ${isChanged ? "was written" : "is up to date"}.`);
    return exitCodes.done;
  },
};

/** False when the file says so already. @throws AppError `system` */
function writeLock(
  projectDir: string,
  lock: ProjectLock,
  before: ProjectLock | undefined,
): boolean {
  const text = printLock(lock);
  if (before !== undefined && printLock(before) === text) return false;
  const file = join(projectDir, lockFileName);
  try {
    replaceFile(file, text, lockFileMode);
    return true;
  } catch (error) {
    throw new AppError("system", `${file} cannot be written: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}
