import { statfsSync } from "node:fs";

import { savedResultsReserveBytes } from "./limits.ts";

/** Of a small disk, such as the temporary folder of a container, this part is kept free instead. */
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
