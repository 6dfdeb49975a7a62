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
