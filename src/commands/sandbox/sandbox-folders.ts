import type { Dirent } from "node:fs";
import { chmod, lstat, mkdtemp, readdir, readlink, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { privateFolderAgeMsMax } from "../../base/limits.ts";
import { keptFolderName, secretsFolderName } from "../../base/own-files.ts";
import { isInside } from "../../base/paths.ts";
import type { Hidden } from "./backend-arguments.ts";

/** Where a path leads, and by which links. All real paths. */
interface Way {
  readonly given: string;
  readonly end: string;
  readonly links: readonly string[];
}

/** As many as Linux follows. */
const linksMax = 40;

/**
 * The folders and files that are `wanted`, as real paths, without those that do not exist.
 * @throws AppError `refused` where a link leads there that a command could have put in its place
 */
export async function openFolders(wanted: readonly string[]): Promise<readonly string[]> {
  const ways = (await Promise.all(wanted.map(follow))).filter((way) => way !== undefined);
  const folders = [...new Set(ways.map(({ end }) => end))];
  for (const { given, links } of ways) {
    for (const link of links) {
      const outer = folders.find((folder) => isInside(link, folder));
      if (outer !== undefined) throw linkRefusal(given, link, outer);
    }
  }
  return folders;
}

/** Undefined when there is nothing at `given`. */
async function follow(given: string): Promise<Way | undefined> {
  const links: string[] = [];
  const parts = given.split("/");
  let end = "/";
  try {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const next = join(end, part);
      if (!(await lstat(next)).isSymbolicLink()) {
        end = next;
        continue;
      }
      if (links.push(next) > linksMax) return undefined;
      const target = await readlink(next);
      parts.unshift(...target.split("/"));
      end = target.startsWith("/") ? "/" : dirname(next);
    }
  } catch {
    return undefined;
  }
  return { given, end, links };
}

function linkRefusal(given: string, link: string, outer: string): AppError {
  return new AppError(
    "refused",
    `SANDBOX=workspace-write cannot open ${given} for writing: ${link} is a symbolic link in ${outer}, where commands ` +
      "can create links. Nothing was run. Give the link's target instead, or remove the link.",
  );
}

const prefix = "scorpiox-tmp-";

/**
 * Makes a folder that only this user can enter, for the temporary files of one command; a real path.
 * @param isKept it outlives this process: the process that ends the command removes it, and no sweep
 * @throws AppError `system`
 */
export async function makeTemporaryFolder(parent: string, isKept = false): Promise<string> {
  try {
    // `mkdtemp` gives mode 0700. The process id is for people, and for `sweepPrivateFolders`.
    const owner = isKept ? "kept" : process.pid;
    return await realpath(await mkdtemp(join(parent, `${prefix}${owner}-`)));
  } catch (error) {
    const message = `Cannot create a folder for temporary files in ${parent}: ${messageOf(error)}. Set TMPDIR.`;
    throw new AppError("system", message, { cause: error });
  }
}

/** Whether `path` is the temporary folder of a command that outlives its client: nothing else is removed for such a command. */
export function isKeptTemporaryFolder(path: string): boolean {
  return basename(path).startsWith(`${prefix}kept-`);
}

/** Removes the folder with its content. Never rejects; entries that cannot be removed stay for the sweep. */
export async function removePrivateFolder(path: string): Promise<void> {
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true });
  try {
    await remove();
  } catch {
    // A folder without rights in it, which a command has left.
    await openUp(path);
    await remove().catch(() => undefined);
  }
}

/** Removes folders that killed servers left behind: owned by this user, old, and of a process that has ended. */
export async function sweepPrivateFolders(
  parent: string,
  isAlive: (pid: number) => boolean,
): Promise<void> {
  const names = await readdir(parent).catch((): string[] => []);
  for (const name of names) {
    const pid = Number(/^scorpiox-tmp-(\d+)-/.exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const path = join(parent, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isDirectory() !== true || stats.uid !== process.getuid?.()) continue;
    if (Date.now() - stats.mtimeMs > privateFolderAgeMsMax) await removePrivateFolder(path);
  }
}

/** Gives rights to all folders in it. They are moved to its top one by one, since a path may be too long to be named. */
async function openUp(top: string): Promise<void> {
  await chmod(top, 0o700).catch(() => undefined);
  const folders = [top];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const { name } of entries.filter((entry) => entry.isDirectory())) {
      const place = join(top, `folder ${folders.length}`);
      await chmod(join(folder, name), 0o700).catch(() => undefined);
      await rename(join(folder, name), place).catch(() => undefined);
      folders.push(place);
    }
  }
}

/**
 * The secrets of this program below `~/.scorpiox`: values that entries name and the tokens of logins; keys and sockets
 * of the running servers; the data that servers keep for one principal; profiles of the browser, with their cookies;
 * background tasks that outlive their client, with their output.
 */
const secretFolders = [secretsFolderName, "run", "principals", "browser", keptFolderName];
/** The key that seals the state that clients bring back, and the tokens of `serve --http`. */
const secretFiles = ["state.key", "http-token", "http-tokens.json"];
const names = new Set([...secretFolders, ...secretFiles]);

/**
 * The secrets of scorpiox-code that exist, as real paths: a link cannot be a mount point.
 * @param scorpioxDir a real path
 * @throws a system error when it exists but cannot be listed: then its secrets are unknown
 */
export async function findOwnSecrets(scorpioxDir: string): Promise<Hidden> {
  const entries = await listed(scorpioxDir);
  const looks = entries
    .filter(({ name }) => names.has(name))
    .map((entry) => look(scorpioxDir, entry));
  const found = (await Promise.all(looks)).flat();
  return {
    folders: found.filter(({ isFolder }) => isFolder).map(({ path }) => path),
    files: found.filter(({ isFolder }) => !isFolder).map(({ path }) => path),
  };
}

interface Found {
  readonly path: string;
  readonly isFolder: boolean;
}

async function listed(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return [];
    throw error;
  }
}

async function look(folder: string, entry: Dirent): Promise<Found[]> {
  const named = join(folder, entry.name);
  if (entry.isDirectory() || entry.isFile()) {
    return [{ path: named, isFolder: entry.isDirectory() }];
  }
  try {
    const path = await realpath(named);
    return [{ path, isFolder: (await lstat(path)).isDirectory() }];
  } catch {
    return [];
  }
}
