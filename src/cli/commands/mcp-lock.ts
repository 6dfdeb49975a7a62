import { join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { replaceFile } from "../../config/replace-file.ts";
import { lockOf } from "../../upstream/trust/lock/lock-of.ts";
import {
  lockFileName,
  printLock,
  type ProjectLock,
  readLock,
} from "../../upstream/trust/lock/read-lock.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import {
  askAll,
  isOfProject,
  openServers,
  projectOf,
  type ServersOfCommand,
} from "../configured-servers.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";

/** A lock is readable for others: it is committed with the project. */
const lockFileMode = 0o644;

export const mcpLockCommand: Command = {
  usage: "[--all] [--json]",
  description:
    "Connects to the project's servers and writes mcp.lock in the project folder: how each is started, and a hash of\n" +
    "everything that it offers. From then on a server that does not match the file is stopped at its first connection.\n" +
    "Writes nothing when a server cannot be reached, or when there is none (exit code 3).",
  flags: {
    all: {
      kind: "switch",
      help: "Lock the servers of your own files too, not only the project's.",
    },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: true,
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const projectDir = projectOf(view);
    if (!view.config.isOn) {
      throw new AppError(
        "config",
        `MCP servers are switched off: ${lockFileName} would lose all entries, so it was not written.`,
      );
    }
    const servers = args.has("all") ? view.servers : view.servers.filter(isOfProject);
    if (servers.length === 0) throw nothingToLock(view);
    const reading = await readLock(projectDir);
    const before = reading.kind === "lock" ? reading.lock : undefined;
    const { reached, unreachable } = await askAll(context, view, servers);
    for (const { name, reason } of unreachable) print.error(`${name}: ${reason}`);
    if (unreachable.length > 0) {
      print.note(`${lockFileName} was not written: not all servers could be reached.`);
      return exitCodes.unreachable;
    }
    const { toolNameMax } = view.start.config.settings.mcp;
    const lock = lockOf(reached, { toolNameMax, before });
    const isChanged = writeLock(projectDir, lock, before);
    const unpinned = [...lock.servers].flatMap(([name, { package: runs }]) =>
      runs === undefined || runs.version !== undefined ? [] : [{ name, runs: runs.name }],
    );
    if (args.has("json")) {
      const file = join(projectDir, lockFileName);
      print.json({ file, changed: isChanged, unpinned: unpinned.map(({ name }) => name) });
    } else print.note(`${lockFileName} ${isChanged ? "was written" : "is up to date"}.`);
    for (const { name, runs } of unpinned) {
      print.note(
        `${name}: no version of ${escapeName(runs)} is pinned; its next release will not match the lock. Pin a version.`,
      );
    }
    const dropped = [...(before?.servers.keys() ?? [])].filter((name) => !lock.servers.has(name));
    if (dropped.length > 0)
      print.note(`No longer in ${lockFileName}: ${dropped.map(escapeName).join(", ")}.`);
    return exitCodes.done;
  },
};

/** A lock without servers would claim a check that nobody made. */
function nothingToLock({ servers }: ServersOfCommand): AppError {
  const own =
    servers.length === 0 ? "" : ` ${product.name} mcp lock --all locks those of your own files.`;
  return new AppError(
    "not_found",
    `The project names no server: nothing to lock, and ${lockFileName} was not written.${own}`,
  );
}

/** False when the file is already up to date. @throws AppError `system` */
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
