import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

import { AppError } from "../base/errors.ts";

/**
 * Writes beside `file` and renames, so that readers and other writers see the old text or the new one, after a power
 * cut as well. Of two concurrent writers the last rename wins: `withFileLock` has them wait for each other.
 * @param mode of the new file; the user's umask takes nothing away from it
 * @param owner of the new file; this process's, when it is left out
 * @throws the system's error; `file` is then as it was
 */
export function replaceFile(
  file: string,
  text: string | Uint8Array,
  mode = 0o600,
  owner?: { readonly uid: number; readonly gid: number },
): void {
  const temporary = join(dirname(file), `${draftStart(file)}${crypto.randomUUID()}${draftEnd}`);
  try {
    const handle = openSync(temporary, "wx", mode);
    try {
      // A change of the owner takes bits of the mode away.
      if (owner !== undefined) fchownSync(handle, owner.uid, owner.gid);
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

/** Which file to change. */
export interface EditTarget {
  readonly file: string;
  /** The file must be in here after following links: a repository may hold a link to anywhere. */
  readonly insideDir?: string;
}

/**
 * The file to replace: for a link its target, so that the link stays. Makes the folder when it is missing.
 * @throws {AppError} `config` for a link that leads out of `insideDir` or back to itself, and errors of the system
 */
export function resolveTarget({ file, insideDir }: EditTarget): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const real = followLinks(file, linksMax);
  if (insideDir !== undefined && !real.startsWith(realpathSync(insideDir) + sep)) {
    throw new AppError(
      "config",
      `${file} leads out of the project, to ${real}; it was not changed.`,
    );
  }
  return real;
}

/** As many as Linux follows. */
const linksMax = 40;

/** By hand: `realpathSync` of a file that another writer replaces at that moment fails. */
function followLinks(file: string, linksLeft: number): string {
  const path = join(realpathSync(dirname(file)), basename(file));
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink) return path;
  if (linksLeft === 0) throw new AppError("config", `${file} is a link that leads back to itself.`);
  return followLinks(resolve(dirname(path), readlinkSync(path)), linksLeft - 1);
}
