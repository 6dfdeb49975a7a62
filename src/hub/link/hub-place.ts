import { copyFileSync, readdirSync, readlinkSync, statSync, truncateSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";

import { sha256Hex } from "../../base/digests.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import { isCompiled, product } from "../../base/product.ts";
import { bootId } from "../../commands/background/leftovers.ts";
import { ensureRunFolder, runFolderIn, socketPlaces } from "../../interact/attach/run-folder.ts";

/** The places of one hub: that of one user, machine and build. */
export interface HubPlace {
  readonly scorpioxDir: string;
  /** The name of its folder: `hub-<build>-<machine>`. */
  readonly name: string;
  readonly folder: string;
  /** Held by the hub from its start to its end, with a record of it. */
  readonly lockFile: string;
  /** Held by a client process while it starts a hub. */
  readonly electionFile: string;
  /** The secret that both sides prove to know. Each hub makes another. */
  readonly keyFile: string;
  readonly logFile: string;
  /**
   * Where the hub of a generation may listen, best first; its record says where it does. A hub that was given up and wakes up must
   * not remove the socket of the next one.
   */
  sockets(generation: number): readonly string[];
}

/** Digits of a part of the name: the path of a socket has few characters. */
const partChars = 12;

/** The place of the hub of this program, for the user whose data are in `scorpioxDir`. */
export function hubPlaceOf(scorpioxDir: string): HubPlace {
  return hubPlaceNamed(scorpioxDir, `hub-${buildId()}-${machineId()}`);
}

/** The place with that name, of this program or of another build. */
export function hubPlaceNamed(scorpioxDir: string, name: string): HubPlace {
  const folder = join(runFolderIn(scorpioxDir), name);
  return {
    scorpioxDir,
    name,
    folder,
    lockFile: join(folder, "lock"),
    electionFile: join(folder, "election"),
    keyFile: join(folder, "key"),
    logFile: join(folder, "log"),
    sockets: (generation) =>
      socketPlaces(folder, `socket-${generation}`, `${digestOf(folder)}-${generation}`),
  };
}

/** The locks of servers of which only one hub of this user and machine runs one at a time. */
export function exclusiveFolderIn(scorpioxDir: string): string {
  return join(runFolderIn(scorpioxDir), `exclusive-${machineId()}`);
}

let knownBuild: string | undefined;

/**
 * Names another build at the same version, and another file with the same content: each is a hub of its own. Read once: an update
 * may put another file in its place, which not every system tells from the running one.
 */
function buildId(): string {
  knownBuild ??= readBuildId();
  return knownBuild;
}

function readBuildId(): string {
  const { dev, ino, size, mtimeMs } = statSync(ownProgramFile());
  const script = isCompiled ? "" : Bun.main;
  return digestOf(dev, ino, size, mtimeMs, product.version, script);
}

/** The running file, whatever has been put in its place since. */
function ownProgramFile(): string {
  return process.platform === "linux" ? "/proc/self/exe" : process.execPath;
}

/**
 * Processes of containers and machines with a home folder in common must not meet: their numbers of processes, and their
 * files, are not the same.
 */
function machineId(): string {
  return digestOf(bootId(), mountNamespace(), hostname());
}

function mountNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/mnt");
  } catch {
    return "";
  }
}

const digestOf = (...parts: readonly (string | number)[]): string =>
  sha256Hex(parts.join("\0")).slice(0, partChars);

/** Names of the folders of all hubs of a user, of whatever machine and build. None where the folder cannot be read. */
export function hubNamesIn(scorpioxDir: string): readonly string[] {
  return namesIn(runFolderIn(scorpioxDir)).filter((name) => /^hub-[0-9a-f]+-[0-9a-f]+$/.test(name));
}

/** The folders of `exclusiveFolderIn`, of whatever machine and boot. */
export function exclusiveFoldersIn(scorpioxDir: string): readonly string[] {
  const folder = runFolderIn(scorpioxDir);
  const names = namesIn(folder).filter((name) => /^exclusive-[0-9a-f]+$/.test(name));
  return names.map((name) => join(folder, name));
}

/** In their order; none where the folder cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Whether a folder below `run/` is the one of a hub of this machine, of whatever build. */
export function isHubOfMachine(name: string): boolean {
  return name.startsWith("hub-") && name.endsWith(`-${machineId()}`);
}

/** There is a definite reason why this process has no hub; it does everything itself then. The message is one line. */
export class HubFault extends AppError {
  constructor(reason: string, options?: ErrorOptions) {
    super("system", reason, options);
  }
}

export const noHubOnWindows =
  "there is no hub on Windows, where the process at the other end of a pipe cannot be determined";

/** Makes the folder of a place, for this user alone. @throws HubFault */
export async function ensureHubFolder(place: HubPlace): Promise<void> {
  try {
    await ensureRunFolder(dirname(place.folder));
    await ensureRunFolder(place.folder);
  } catch (error) {
    throw new HubFault(`no folder ${place.folder}: ${messageOf(error)}`, { cause: error });
  }
}

/** The log of a hub; its older part may be as long. */
const logBytesMax = 1024 * 1024;

/**
 * Bounds the log of a hub: its content moves to a second file. The first stays, since a hub writes to it by a descriptor that it was started with. @throws a system error
 */
export function trimLog({ logFile }: Pick<HubPlace, "logFile">): void {
  const stats = statSync(logFile, { throwIfNoEntry: false });
  if (stats === undefined || stats.size <= logBytesMax) return;
  copyFileSync(logFile, `${logFile}.old`);
  truncateSync(logFile);
}
