import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";

import { savedResultsAgeMsMax, savedResultsBytesMax } from "./limits.ts";

const sweepEveryMs = 3_600_000;

/** Keeps a folder of saved texts within its age and size. Whoever saves there has one. */
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
