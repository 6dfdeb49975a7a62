import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";

import { messageOf } from "../base/errors.ts";
import { savedResultsAgeMsMax, savedResultsBytesMax } from "../base/limits.ts";
import type { OutputText } from "./output-text.ts";
import { SavedOutput } from "./saved-output.ts";
import { readSavedFile } from "./saved-text.ts";

const sweepEveryMs = 3_600_000;
/** The names that `create` gives, without `.txt`. */
const savedId = /^[0-9a-z]{1,16}-[0-9a-f]{16}$/;

/** The private folder of outputs that were too long to show: made on first use, swept by age and size. */
export class SavedOutputs {
  readonly #folders: readonly string[];
  readonly #warn: (message: string) => void;
  #savedBytes = 0;
  #sweptAt = Number.NEGATIVE_INFINITY;

  /**
   * @param folders where to keep files; a later one stands in when an earlier one cannot be written
   * @param warn told once for each file that could not be made
   */
  constructor(folders: readonly string[], warn: (message: string) => void) {
    this.#folders = folders;
    this.#warn = warn;
  }

  /** A new file, or undefined when no folder can be written. */
  create(): SavedOutput | undefined {
    let problem = "";
    for (const folder of this.#folders) {
      try {
        makePrivateFolder(folder);
        const name = `${Date.now().toString(36)}-${randomBytes(8).toString("hex")}.txt`;
        const saved = new SavedOutput(join(folder, name), (bytes) => this.#onSaved(folder, bytes));
        void this.#sweep(folder);
        return saved;
      } catch (error) {
        problem = messageOf(error);
      }
    }
    this.#warn(`Long outputs cannot be saved: ${problem}. Free space or make the folder writable.`);
    return undefined;
  }

  /**
   * What a file of ours holds, its two ends if it is long; `id` is its name without `.txt`. Undefined for
   * anything else, whatever the id says: it is never a path.
   */
  async read(id: string): Promise<OutputText | undefined> {
    if (!savedId.test(id)) return undefined;
    for (const folder of this.#folders) {
      const text = await readSavedFile(join(folder, `${id}.txt`));
      if (text !== undefined) return text;
    }
    return undefined;
  }

  #onSaved(folder: string, bytes: number): void {
    this.#savedBytes += bytes;
    void this.#sweep(folder);
  }

  /**
   * Removes what is too old, then the oldest until the rest is within the cap. Every hour, and when
   * much was saved since the last time.
   */
  async #sweep(folder: string): Promise<void> {
    const now = Date.now();
    const isFresh = now - this.#sweptAt < sweepEveryMs;
    if (isFresh && this.#savedBytes < savedResultsBytesMax / 4) return;
    this.#sweptAt = now;
    this.#savedBytes = 0;
    try {
      await sweepFolder(folder, now);
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

/** @throws when the folder cannot be made, is not a folder, or belongs to somebody else. */
function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const info = lstatSync(folder);
  const isOurs = process.getuid === undefined || info.uid === process.getuid();
  if (!info.isDirectory() || !isOurs) throw new Error(`${folder} is not a folder of this user`);
}
