import { isAbsolute, relative, sep } from "node:path";

/**
 * True when `path` is `folder` or lies below it, by whole names and not by how the texts begin. Both are absolute; links
 * do not count, so both are real paths where it matters.
 */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** True when `path` lies below `folder` and is not the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  return isInside(path, folder) && relative(folder, path) !== "";
}
