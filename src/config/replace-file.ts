import { randomUUID } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Writes beside `file` and renames, so that readers and other writers see the old text or the new one, after a power
 * cut as well. Of two concurrent writers the last rename wins: `withFileLock` has them wait for each other.
 * @param mode of the new file; the user's umask takes nothing away from it
 * @throws the system's error; `file` is then as it was
 */
export function replaceFile(file: string, text: string | Uint8Array, mode = 0o600): void {
  const temporary = join(dirname(file), `${draftStart(file)}${randomUUID()}${draftEnd}`);
  try {
    const handle = openSync(temporary, "wx", mode);
    try {
      fchmodSync(handle, mode);
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/** Removes the temporary files of killed writers. Only while holding the lock of `file`. */
export function removeLeftDrafts(file: string): void {
  for (const name of readdirSync(dirname(file))) {
    const isDraft = name.startsWith(draftStart(file)) && name.endsWith(draftEnd);
    if (isDraft) rmSync(join(dirname(file), name), { force: true });
  }
}

const draftEnd = ".tmp";

function draftStart(file: string): string {
  return `.${basename(file)}.`;
}

/** Makes the rename itself survive a power cut, on systems where a folder can be opened. */
function syncFolder(dir: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(dir, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
