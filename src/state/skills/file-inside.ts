import { constants, type Stats } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { isInside } from "../../base/is-inside.ts";
import { openedPath } from "./opened-file.ts";

export interface FileInside {
  /** Bytes of the whole file. */
  readonly size: number;
  /** The whole file, or its first `bytesMax` bytes. */
  readonly bytes: Uint8Array;
}

/**
 * Reads the beginning of a regular file that is really below `folder`, wherever links lead. It is judged on the opened
 * descriptor, and opening never waits, for the other end of a FIFO for instance.
 * @param folder a real path
 * @throws AppError `not_found`, `refused` or `system`
 */
export async function readInside(
  path: string,
  folder: string,
  bytesMax: number,
): Promise<FileInside> {
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(path);
    if (!isInside(real, folder)) {
      throw new AppError("refused", `${path} is a link that leads out of ${folder}.`);
    }
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    handle = await open(real, flags);
    const opened = await openedPath(handle, real);
    if (opened === undefined || !isInside(opened, folder)) {
      throw new AppError("refused", `${path} now leads out of ${folder}.`);
    }
    const stats = await handle.stat();
    assertRegular(path, stats);
    return { size: stats.size, bytes: await readStart(handle, Math.min(stats.size, bytesMax)) };
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(path, error);
  } finally {
    await handle?.close();
  }
}

function assertRegular(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new AppError("refused", `${path} is not a regular file.`);
}

/** Reads `length` bytes, or fewer when the file has shrunk in the meantime. */
async function readStart(handle: FileHandle, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function unreadable(path: string, cause: unknown): AppError {
  const code = systemCodeOf(cause);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new AppError("not_found", `${path} does not exist.`, { cause });
  }
  // O_NOFOLLOW: a link has taken the file's place in the meantime. Sockets and devices without a driver: ENXIO.
  if (code === "ELOOP" || code === "ENXIO") {
    return new AppError("refused", `${path} is not a regular file.`, { cause });
  }
  return new AppError("system", `${path} could not be read: ${code ?? messageOf(cause)}.`, {
    cause,
  });
}
