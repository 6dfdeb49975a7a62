import type { Dirent } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";

import { systemCodeOf } from "../../base/errors.ts";
import type { Hidden } from "./bounds.ts";

/**
 * The secrets of this program below `~/.scorpiox`: values that entries name and the tokens of logins; keys and sockets
 * of the running servers; what servers keep for one principal; profiles of the browser, with their cookies.
 */
const secretFolders = ["secrets", "run", "principals", "browser"];
/** The key that seals the state that clients bring back, and the token of `serve --http`. */
const secretFiles = ["state.key", "http-token"];
const names = new Set([...secretFolders, ...secretFiles]);

/**
 * Those that exist, as real paths: a link cannot be a mount point.
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
