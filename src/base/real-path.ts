import { lstatSync, realpathSync } from "node:fs";

/** `path` with its links resolved; `path` itself when it is missing or unreadable. */
export function realPathOf(path: string): string {
  try {
    // Most of what is asked for at the start is absent, and an exception costs far more than a second look.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
  } catch {
    return path;
  }
}
