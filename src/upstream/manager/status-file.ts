import { rmSync } from "node:fs";
import { join } from "node:path";

import { startTimer, type Timer } from "../../base/timer.ts";
import { upstreamStatusEveryMs } from "../../base/upstream-limits.ts";
import { writePrivate } from "../cache/write-private.ts";
import type { ServerStatus } from "./server-status.ts";
import { statusFileName, statusFolderIn } from "./server-status.ts";

/** Keeps the file by which `mcp status` sees this process: written once a second at most, when something has changed. */
export class StatusFile {
  readonly #path: string;
  readonly #status: () => ServerStatus;
  #timer: Timer | undefined;
  #written = "";
  #isClosed = false;
  #work: Promise<void> = Promise.resolve();

  /** @param scorpioxDir `~/.scorpiox` */
  constructor(scorpioxDir: string, status: () => ServerStatus) {
    this.#path = join(statusFolderIn(scorpioxDir), statusFileName(process.pid));
    this.#status = status;
  }

  /** Something may have changed. */
  later(): void {
    if (this.#isClosed) return;
    this.#timer ??= startTimer(upstreamStatusEveryMs, () => {
      this.#timer = undefined;
      this.#work = this.#work.then(() => this.#write());
    });
  }

  /** Removes it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.stop();
    await this.#work;
    rmSync(this.#path, { force: true });
  }

  async #write(): Promise<void> {
    const status = this.#status();
    const { writtenAt: _time, ...facts } = status;
    const face = JSON.stringify(facts);
    if (this.#isClosed || face === this.#written) return;
    try {
      await writePrivate(this.#path, JSON.stringify(status));
      this.#written = face;
    } catch {
      // A full disk or a folder of somebody else: `mcp status` cannot see us, nothing more.
    }
  }
}
