import { constants, write } from "node:fs";
import { open } from "node:fs/promises";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import type { LineFile } from "../../base/line-log.ts";

// Windows has no O_NONBLOCK.
const known: Partial<typeof constants> = constants;
const { O_APPEND = 0, O_CREAT = 0, O_WRONLY = 0, O_NONBLOCK = 0 } = known;

/**
 * Appends lines to a file, which each write opens by its path: after a rotation has renamed it there is a new one, and one that was
 * truncated begins again.
 */
export class AppendFile implements LineFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** @throws AppError `system` for a path that is not a file, or cannot be written */
  async check(): Promise<void> {
    try {
      await this.append("");
    } catch (error) {
      const reason = messageOf(error);
      throw new AppError("system", `The file of --access-log cannot be written: ${reason}`, {
        cause: error,
      });
    }
  }

  async append(lines: string): Promise<void> {
    // O_NONBLOCK: a pipe without a reader would be waited for.
    const flags = O_APPEND | O_CREAT | O_WRONLY | O_NONBLOCK;
    await using file = await open(this.#path, flags, 0o600);
    if (!(await file.stat()).isFile()) {
      throw new AppError("system", `${this.#path} is not a file; "-" writes to stdout.`);
    }
    if (lines !== "") await file.appendFile(lines);
  }
}

const stdoutFd = 1;
/** How soon a pipe that is full is tried again, in ms. */
const fullPipeMs = 20;

/** Lines to stdout. A reader that is slow is waited for, in another thread. */
export class StdoutFile implements LineFile {
  async append(lines: string): Promise<void> {
    let rest = Buffer.from(lines);
    while (rest.length > 0) {
      const written = await writeSome(rest);
      if (written === 0) await Bun.sleep(fullPipeMs);
      rest = rest.subarray(written);
    }
  }
}

/** Bytes of `data` that were written; 0 when the pipe is full. */
function writeSome(data: Uint8Array): Promise<number> {
  return new Promise((resolve, reject) => {
    write(stdoutFd, data, (error, written) => {
      if (error === null) resolve(written);
      else if (systemCodeOf(error) === "EAGAIN") resolve(0);
      else reject(error);
    });
  });
}
