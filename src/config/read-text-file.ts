import { isUtf8 } from "node:buffer";
import { lstatSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { systemCodeOf } from "../base/errors.ts";

/** A configuration file is written by hand; a larger one is something else. */
const fileBytesMax = 1024 * 1024;

export type TextFile =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  /** It exists, but not as a readable text file. `reason` completes "this file". */
  | { readonly kind: "unusable"; readonly reason: string };

/**
 * Reads a small UTF-8 file without ever throwing or blocking: only regular files are opened, so a FIFO
 * or a device in its place cannot hold the start up. A byte order mark stays in the text.
 */
export function readTextFile(path: string): TextFile {
  try {
    // Absence is the common case and must stay cheap: an exception costs far more than a second look.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return absentOrDangling(path);
    if (stats.isDirectory()) return unusable("is a directory");
    if (!stats.isFile()) return unusable("is not a regular file");
    if (stats.size > fileBytesMax) return unusable(`is larger than ${fileBytesMax} bytes`);
    return checkText(path, readFileSync(path, "utf8"));
  } catch (error) {
    // Where the folder should be there is a file: nothing can be in it.
    if (systemCodeOf(error) === "ENOTDIR") return { kind: "absent" };
    return unusable(reasonOf(error));
  }
}

/** Reads a file that grants its user permissions: one that others may write is not usable. */
export function readOwnTextFile(path: string): TextFile {
  const file = readTextFile(path);
  const fault = file.kind === "text" ? faultOfWriters(path) : undefined;
  return fault === undefined ? file : unusable(fault);
}

function absentOrDangling(path: string): TextFile {
  const link = lstatSync(path, { throwIfNoEntry: false });
  return link === undefined
    ? { kind: "absent" }
    : unusable("is a symbolic link to something that does not exist");
}

/** Reading as text is cheaper than bytes and a decoder, and replaces invalid UTF-8: such a text is checked again. */
function checkText(path: string, text: string): TextFile {
  const isText = !text.includes("\0") && (!text.includes("\uFFFD") || isUtf8(readFileSync(path)));
  return isText ? { kind: "text", text } : unusable("is not UTF-8 text");
}

function reasonOf(error: unknown): string {
  const code = systemCodeOf(error);
  if (code === "EACCES" || code === "EPERM") return "may not be read by this user";
  if (code === "ELOOP") return "is a symbolic link that leads back to itself";
  return `cannot be read (${code ?? "unknown error"})`;
}

function unusable(reason: string): TextFile {
  return { kind: "unusable", reason };
}

/**
 * Why another user of this machine may have written a file of the user's that grants permissions; the text follows "this file".
 * Undefined where it is unknown: Windows has no such bits. Folders that everybody may write to are usual in containers: there
 * only a file of the user or root is accepted.
 */
export function faultOfWriters(
  file: string,
  ownUid: number | undefined = process.getuid?.(),
): string | undefined {
  if (process.platform === "win32") return undefined;
  try {
    const { mode, uid } = statSync(file);
    if ((mode & everybodyWrites) !== 0) return "may be written by everybody: chmod o-w";
    if (uid === ownUid || uid === 0 || ownUid === undefined) return undefined;
    const isOpen = (statSync(dirname(file)).mode & everybodyWrites) !== 0;
    return isOpen
      ? "belongs to another user and is in a folder that everybody may write to"
      : undefined;
  } catch {
    // Gone in between, or not to be looked at: the next reader finds out.
    return undefined;
  }
}

const everybodyWrites = 0o002;
