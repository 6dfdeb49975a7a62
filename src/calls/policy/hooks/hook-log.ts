import { appendFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";

import { escapeJson } from "../../../base/unsafe-characters.ts";
import { messageOf } from "../../../base/errors.ts";
import { hookLogBytesMax, hookLogOutputCharsMax } from "../../../base/limits.ts";
import { type HookEnd, shortOutput } from "./hook-end.ts";
import { redact } from "../audit/redact.ts";
import type { Hook } from "./hook.ts";
import { hookLogName, type SessionFolders } from "./session-folder.ts";

/** One line of JSON for each run of a hook, in a private file for each session. What hooks were told is not in it. */
export class HookLog {
  readonly #folders: SessionFolders;
  readonly #warn: (message: string) => void;
  readonly #secrets: readonly string[];
  /** Lines have an order, and one write at a time keeps the file within its bound. */
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;

  /** @param secrets texts that are not written down */
  constructor(
    folders: SessionFolders,
    warn: (message: string) => void,
    secrets: readonly string[],
  ) {
    this.#folders = folders;
    this.#secrets = secrets;
    this.#warn = warn;
  }

  write(sessionId: string, hook: Hook, end: HookEnd): void {
    const { eventName, name, scope } = hook;
    const { state, how, durationMs, output } = end;
    const at = new Date().toISOString();
    const shown = redact(shortOutput(output, hookLogOutputCharsMax), this.#secrets);
    const record = {
      at,
      event: eventName,
      hook: name,
      scope,
      state,
      how,
      durationMs,
      output: shown,
    };
    const line = `${escapeJson(JSON.stringify(record))}\n`;
    this.#writing = this.#writing.then(() => this.#append(sessionId, line));
  }

  /** When all is written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  async #append(sessionId: string, line: string): Promise<void> {
    try {
      const file = join(await this.#folders.of(sessionId), hookLogName);
      const size = (await stat(file).catch(() => undefined))?.size ?? 0;
      if (size + line.length > hookLogBytesMax) await rename(file, `${file}.1`);
      await appendFile(file, line, { mode: 0o600 });
    } catch (error) {
      if (!this.#hasFailed) this.#warn(`The log of hooks cannot be written: ${messageOf(error)}.`);
      this.#hasFailed = true;
    }
  }
}
