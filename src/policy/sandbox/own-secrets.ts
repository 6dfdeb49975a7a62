import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";

import type { Hidden } from "./bounds.ts";

/**
 * What this program keeps from others below `~/.scorpiox`: values that entries name and the tokens of logins; keys and
 * sockets of the running servers; what servers keep for one principal; profiles of the browser, with their cookies.
 */
const secretFolders = ["secrets", "run", "principals", "browser"];
/** What seals the state that clients bring back, and the token of `serve --http`. */
const secretFiles = ["state.key", "http-token"];

/** Those that exist, as real paths: a link is no place for a mount. */
export async function findOwnSecrets(scorpioxDir: string): Promise<Hidden> {
  const find = async (names: readonly string[]): Promise<Found[]> =>
    (await Promise.all(names.map((name) => look(join(scorpioxDir, name))))).flat();
  const found = (await Promise.all([find(secretFolders), find(secretFiles)])).flat();
  return {
    folders: found.filter(({ isFolder }) => isFolder).map(({ path }) => path),
    files: found.filter(({ isFolder }) => !isFolder).map(({ path }) => path),
  };
}

interface Found {
  readonly path: string;
  readonly isFolder: boolean;
}

async function look(name: string): Promise<Found[]> {
  try {
    const path = await realpath(name);
    return [{ path, isFolder: (await lstat(path)).isDirectory() }];
  } catch {
    return [];
  }
}
