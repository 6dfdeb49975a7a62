import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { ptr } from "bun:ffi";

import { AppError, systemCodeOf } from "../base/errors.ts";
import { openLinuxLibrary } from "../base/linux-library.ts";
import { replaceFile } from "../config/replace-file.ts";

/**
 * Replaces the file as a whole, which keeps its mode and owner. A file that has more than that (other names by hard links, access
 * control lists, extended attributes), and one that cannot be replaced where it is, such as the mount of a container, is
 * written through: it stays the same file.
 * @param onThrough is called before a file is written through: a kill may leave half of the bytes in it
 * @throws the system's error
 */
export function writeClientFile(
  file: string,
  bytes: Uint8Array | undefined,
  onThrough: () => void,
): void {
  if (bytes === undefined) return rmSync(file, { force: true });
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return replaceFile(file, bytes);
  }
  if (stats.nlink === 1 && !hasAttributes(file) && isReplaced(file, bytes, stats)) return;
  onThrough();
  writeThrough(file, bytes);
}

/** Replacing a file needs only its folder to be writable: its mode and owner are looked at here. @throws {AppError} `config` */
export function checkWritable(file: string): void {
  // A file in the place of its folder is found when that is made.
  if (!existsSync(file) || process.platform === "win32") return;
  const stats = statSync(file);
  const user = process.getuid?.() ?? 0;
  const isOthers = user !== 0 && stats.uid !== user;
  if ((stats.mode & 0o222) !== 0 && !isOthers) return;
  const why = isOthers
    ? "belongs to another user; it was not changed. Run this as that user"
    : "is read-only; it was not changed. Make it writable (chmod u+w), and try again";
  throw new AppError("config", `${file} ${why}.`);
}

/** The first of the folders above the file that is missing; undefined: none is. */
export function missingDirAbove(file: string): string | undefined {
  let missing: string | undefined;
  for (let dir = dirname(file); !existsSync(dir); dir = dirname(dir)) missing = dir;
  return missing;
}

/** Removes `dir` and those above it, up to `top`, as far as nothing is in them. */
export function removeEmptyDirs(dir: string, top: string): void {
  for (let at = dir; at.startsWith(top); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch {
      return;
    }
  }
}

/** Finishes what a killed process has written in part: the beginning is `next` already, the rest still what was there. */
export function finishTorn(
  file: string,
  now: Uint8Array,
  { was, next }: { readonly was: Uint8Array; readonly next: Uint8Array },
): void {
  const differs = now.findIndex((byte, index) => byte !== next[index]);
  const from = differs === -1 ? now.length : differs;
  const isTorn = Buffer.compare(now.subarray(from), was.subarray(from)) === 0;
  if (isTorn && Buffer.compare(now, was) !== 0) writeThrough(file, next);
}

/** In the way of a rename: a mount of this one file, a folder that is not writable, a program that has it open (Windows). */
const inTheWay = ["EBUSY", "EACCES", "EPERM", "EXDEV"];

function isReplaced(file: string, bytes: Uint8Array, { mode, uid, gid }: Stats): boolean {
  const owner = process.platform === "win32" ? undefined : { uid, gid };
  try {
    replaceFile(file, bytes, mode & 0o7777, owner);
    return true;
  } catch (error) {
    if (inTheWay.includes(systemCodeOf(error) ?? "")) return false;
    throw error;
  }
}

function writeThrough(file: string, bytes: Uint8Array): void {
  const handle = openSync(file, "r+");
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at, bytes.length - at, at);
    ftruncateSync(handle, bytes.length);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The names of a file's attributes are together at most this long on Linux. */
const attributeNamesMax = 65_536;

/** Whether a file has attributes of the user or an access control list. Those of security modules a new file gets by itself. */
function hasAttributes(file: string): boolean {
  // Elsewhere nothing that Bun has tells them.
  if (process.platform !== "linux") return false;
  const { listxattr } = openLinuxLibrary({
    listxattr: { args: ["ptr", "ptr", "u64"], returns: "i64" },
  });
  const names = Buffer.alloc(attributeNamesMax);
  const length = Number(listxattr(ptr(Buffer.from(`${file}\0`)), ptr(names), names.length));
  const found = names.toString("latin1", 0, Math.max(0, length)).split("\0");
  return found.some((name) => name !== "" && !name.startsWith("security."));
}
