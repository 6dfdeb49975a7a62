import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { systemCodeOf } from "../../base/errors.ts";

const privateMode = 0o600;

/**
 * Makes the file (0600) and its folder (0700) when they are not there, and takes the rights of others from a file
 * that has them. SQLite gives its side files the mode of the main file.
 * @throws the system's error
 */
export function makeStoreFile(path: string): void {
  const folder = dirname(path);
  const firstMade = mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    // A file that is there is not opened: closing it would drop the locks that SQLite holds on it for this process.
    closeSync(openSync(path, "wx", privateMode));
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
    withdrawRights(path);
    return;
  }
  syncFolder(folder);
  if (firstMade !== undefined) syncFolder(dirname(firstMade));
}

function withdrawRights(path: string): void {
  if (process.platform === "win32" || (statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, privateMode);
  } catch {
    // Somebody else's file: whether it can be used is found out by using it.
  }
}

/** A new name survives a power cut when its folder is on the disk. Windows has no way to ask for it. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  try {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Some file systems refuse it for folders: they keep names in their own time.
  }
}
