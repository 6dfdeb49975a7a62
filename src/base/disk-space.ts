import { statfsSync } from "node:fs";
import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";

import { savedResultsAgeMsMax, savedResultsBytesMax, savedResultsReserveBytes } from "./limits.ts";

/** The part of a small disk, such as the temporary folder of a container, that is kept free instead. */
const reserveShare = 1 / 20;

/** A file system, in bytes. */
export interface DiskSpace {
  readonly total: number;
  /** Bytes that this user may still write. */
  readonly free: number;
}

/**
 * The disk of a folder. Undefined where it does not tell, as network file systems and those of users may not: a full
 * one still says so when it is written to.
 */
export function diskSpaceOf(folder: string): DiskSpace | undefined {
  try {
    const { bsize, blocks, bavail } = statfsSync(folder);
    return blocks > 0 ? { total: blocks * bsize, free: bavail * bsize } : undefined;
  } catch {
    return undefined;
  }
}

/** Bytes of a disk that saving leaves free. */
export function diskReserveOf(
  { total }: DiskSpace,
  bytesMax: number = savedResultsReserveBytes,
): number {
  return Math.min(bytesMax, Math.floor(total * reserveShare));
}

/** Whether the disk of `folder` takes `bytes` more without its reserve. */
export function hasDiskFor(folder: string, bytes: number): boolean {
  const space = diskSpaceOf(folder);
  return space === undefined || space.free - diskReserveOf(space) >= bytes;
}

const sweepEveryMs = 3_600_000;

/** Keeps a folder of saved texts within its age and size. Each writer of saved texts has one. */
export class FolderSweeps {
  readonly #bytesMax: number;
  #savedBytes = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** @param bytesMax of all files of the folder */
  constructor(bytesMax: number = savedResultsBytesMax) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Something is about to be saved in `folder`, or `bytes` were: sweeps it every hour, and when much was saved since the
   * last time. Never rejects.
   */
  async onSaved(folder: string, bytes: number): Promise<void> {
    this.#savedBytes += bytes;
    const now = Date.now();
    const isFresh = now - this.#sweptAt < sweepEveryMs;
    if (isFresh && this.#savedBytes < this.#bytesMax / 4) return;
    this.#sweptAt = now;
    this.#savedBytes = 0;
    try {
      await sweepFolder(folder, now, this.#bytesMax);
    } catch {
      // Another process sweeps the same folder.
    }
  }
}

/**
 * Removes the files of `folder` that are older than a day at `now` (ms since the epoch), then the
 * oldest until the rest is within the cap.
 */
export async function sweepFolder(
  folder: string,
  now: number,
  bytesMax: number = savedResultsBytesMax,
): Promise<void> {
  const files: { path: string; bytes: number; modifiedMs: number }[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const info = await stat(path).catch(() => undefined);
    if (info?.isFile()) files.push({ path, bytes: info.size, modifiedMs: info.mtimeMs });
  }
  let keptBytes = 0;
  for (const file of files.sort((a, b) => b.modifiedMs - a.modifiedMs)) {
    keptBytes += file.bytes;
    if (now - file.modifiedMs <= savedResultsAgeMsMax && keptBytes <= bytesMax) continue;
    await unlink(file.path).catch(() => {});
  }
}
