import { lstatSync, realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";

/**
 * True when `path` is `folder` or is below it, comparing whole names and not prefixes. Both are absolute; links are not
 * followed, so both are real paths where it matters.
 */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** True when `path` is below `folder` and is not the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  return isInside(path, folder) && relative(folder, path) !== "";
}

/** `path` with its links resolved; `path` itself when it is missing or unreadable. */
export function realPathOf(path: string): string {
  try {
    // Most paths of a start are absent, and an exception costs far more than a second look.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * True for a path by which Windows goes to another machine, and tells it who the user is, as soon as anybody looks
 * whether something is there: `\\host\share\…`.
 */
export function isNetworkPath(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === "win32" && /^[/\\]{2}/.test(path);
}
