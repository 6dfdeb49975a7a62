import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
} from "node:fs";

import { AppError, type AppErrorCode, messageOf, systemCodeOf } from "../../base/errors.ts";
import { isStoreFile } from "../../base/own-files.ts";
import { imageFileBytesMax } from "./image-format.ts";

/** Characters of a path that are shown: of a longer one its beginning and its end. */
const shownCharsMax = 400;
const beginningChars = 100;

/**
 * A path as messages show it: a file name could otherwise begin a new line of the answer, or have it read from right to
 * left.
 */
export function shownPath(path: string): string {
  const cut =
    path.length > shownCharsMax
      ? `${path.slice(0, beginningChars)}…${path.slice(beginningChars - shownCharsMax)}`
      : path;
  return cut.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

export interface ImageFile {
  readonly size: number;
  /** The whole file when it is not longer than was asked for, else its beginning. */
  readonly bytes: Uint8Array;
}

/**
 * File systems that are windows into the kernel: their files have no size and may never end. Shared memory is not one
 * of them.
 */
const kernelFolders = /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/;

/** Enough bytes of a file to recognise its kind. */
const headBytes = 8 * 1024;

/**
 * Reads a regular file of at most 100 MB: whole when it has at most `wholeBytesMax`, else its beginning. It is judged on the
 * opened descriptor, and opening never waits (for the other end of a FIFO, for instance).
 * @throws AppError `not_found`, `refused`, `limit` or `system`, with the path and its fault
 */
export function readImageFile(path: string, wholeBytesMax: number): ImageFile {
  const descriptor = openFile(path);
  try {
    const stats = fstatSync(descriptor);
    assertReadable(path, stats);
    const length = stats.size <= wholeBytesMax ? stats.size : Math.min(headBytes, stats.size);
    return { size: stats.size, bytes: readStart(descriptor, length) };
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(path, error);
  } finally {
    closeSync(descriptor);
  }
}

function openFile(path: string): number {
  try {
    // A device or a pipe may do something when it is opened: check it first, and open the checked path.
    const real = realpathSync(path);
    if (kernelFolders.test(real)) {
      throw new AppError(
        "refused",
        `${shownPath(path)} is not on a disk; ReadImage reads only regular files.`,
      );
    }
    if (isStoreFile(real)) {
      throw new AppError(
        "refused",
        `${shownPath(path)} belongs to scorpiox-code's database, which is in use. Give the path of an image.`,
      );
    }
    return openSync(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(path, error);
  }
}

function assertReadable(path: string, stats: Stats): void {
  if (stats.isDirectory()) {
    throw new AppError("usage", `${shownPath(path)} is a folder. Give the path of one image file.`);
  }
  if (!stats.isFile()) {
    throw new AppError(
      "refused",
      `${shownPath(path)} is ${kindOf(stats)}; ReadImage reads only regular files.`,
    );
  }
  if (stats.size === 0)
    throw new AppError("usage", `${shownPath(path)} is empty; it contains no image.`);
  if (stats.size > imageFileBytesMax) {
    const megabytes = (bytes: number): string => `${Math.floor(bytes / 1e6)} MB`;
    throw new AppError(
      "limit",
      `${shownPath(path)} has ${megabytes(stats.size)}; the limit is ${megabytes(imageFileBytesMax)}. Make a smaller copy.`,
    );
  }
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return "a device";
  return "not a file";
}

/** Reads `length` bytes, or fewer when the file has shrunk in the meantime. */
function readStart(descriptor: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, bytes, filled, length - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

function unreadable(path: string, cause: unknown): AppError {
  const known = reasons[systemCodeOf(cause) ?? ""];
  if (known === undefined) {
    return new AppError(
      "system",
      `${shownPath(path)} could not be read: ${systemCodeOf(cause) ?? messageOf(cause)}.`,
      { cause },
    );
  }
  const [code, reason] = known;
  return new AppError(code, `${shownPath(path)}: ${reason}`, { cause });
}

/** Error codes of the system, in words for the caller who gave the path. */
const reasons: Readonly<Record<string, readonly [AppErrorCode, string]>> = {
  ENOENT: ["not_found", "there is no such file."],
  ENOTDIR: ["not_found", "there is no such file: part of the path is not a folder."],
  EACCES: ["system", "it cannot be read: permission denied."],
  EPERM: ["system", "it cannot be read: permission denied."],
  ENXIO: ["refused", "it is a socket or a device; ReadImage reads only regular files."],
  ELOOP: ["system", "it is a symbolic link that points to itself."],
  ENAMETOOLONG: ["usage", "the path is too long for this system."],
};
