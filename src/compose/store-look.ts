import { constants } from "node:fs";
import { access, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { systemCodeOf } from "../base/errors.ts";
import { storeLookMs } from "../base/limits.ts";

/** Enough that a full disk refuses it. */
const lookBytes = 4096;

/** Looks whether the file of the store can be written, when somebody asks and at most every few seconds. */
export class StoreLook {
  readonly #path: string;
  readonly #report: (isWell: boolean) => void;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param report receives the result of each look */
  constructor(path: string, report: (isWell: boolean) => void) {
    this.#path = path;
    this.#report = report;
  }

  /** Does not wait: the answer is there for the next who asks. */
  readonly look = (): void => {
    const now = performance.now();
    if (now - this.#lookedAt < storeLookMs) return;
    this.#lookedAt = now;
    void this.#isWritable().then(this.#report);
  };

  async #isWritable(): Promise<boolean> {
    const folder = dirname(this.#path);
    const file = join(folder, `.ready-${process.pid}`);
    try {
      await access(this.#path, constants.W_OK).catch(ignoreMissing);
      await writeFile(file, Buffer.alloc(lookBytes), { mode: 0o600 });
      return true;
    } catch (error) {
      // Before the first call there may be no folder.
      return systemCodeOf(error) === "ENOENT";
    } finally {
      await rm(file, { force: true }).catch(() => {});
    }
  }
}

function ignoreMissing(error: unknown): void {
  if (systemCodeOf(error) !== "ENOENT") throw error;
}
