import { renameSync } from "node:fs";

import { systemCodeOf } from "../base/errors.ts";

/**
 * Moves a database with its side files to another name, where a person can look at it. Returns the path.
 * @throws the system's error when it cannot be moved
 */
export function setAside(path: string): string {
  const aside = `${path}.damaged-${Date.now()}-${process.pid}`;
  for (const suffix of ["-wal", "-shm", ""]) moveIfThere(path + suffix, aside + suffix);
  return aside;
}

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
  }
}
