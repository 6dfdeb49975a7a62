import { setImmediate as nextTurn } from "node:timers/promises";

import { messageOf } from "../../../base/errors.ts";
import { auditFlushMs, auditLinesWaitingMax } from "../../../base/limits.ts";
import type { AuditFile } from "./audit-file.ts";

/** Makes the line of an entry; later, so that calls need not wait for it. */
export type AuditEntry = () => string | Promise<string>;

/** Collects lines and writes them once a second, and at the end. Never fails a call. */
export class AuditLog {
  readonly #file: Pick<AuditFile, "append">;
  readonly #warn: (message: string) => void;
  #waiting: AuditEntry[] = [];
  #lines: string[] = [];
  #lost = 0;
  #hasWarned = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #making: Promise<void> = Promise.resolve();
  #writing: Promise<void> = Promise.resolve();

  /** @param warn told once that nothing can be written */
  constructor(file: Pick<AuditFile, "append">, warn: (message: string) => void) {
    this.#file = file;
    this.#warn = warn;
  }

  add(entry: AuditEntry): void {
    if (this.#waiting.length + this.#lines.length >= auditLinesWaitingMax) {
      this.#lost++;
      return;
    }
    this.#waiting.push(entry);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.flush(), auditFlushMs);
    this.#timer.unref();
  }

  /** Writes the waiting lines. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One after the other: lines stay in their order, and wait where they are counted while a disk does not answer.
    // They are made meanwhile: their sources may be much longer.
    const made = this.#making.then(() => this.#makeLines());
    this.#making = made;
    this.#writing = this.#writing.then(() => made).then(() => this.#writeLines());
    return this.#writing;
  }

  async #makeLines(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    for (const [index, entry] of entries.entries()) {
      if (index % entriesAtOnce === entriesAtOnce - 1) await nextTurn();
      try {
        this.#lines.push(`${await entry()}\n`);
      } catch (error) {
        this.#fail(1, error);
      }
    }
  }

  async #writeLines(): Promise<void> {
    while (this.#lines.length > 0) {
      const part = this.#lines.splice(0, linesAtOnce);
      try {
        await this.#append(part.join(""));
      } catch (error) {
        this.#fail(part.length + this.#lines.length, error);
        this.#lines = [];
      }
    }
  }

  async #append(lines: string): Promise<void> {
    const lost = this.#lost;
    const loss = { time: new Date().toISOString(), lost };
    await this.#file.append(lines + (lost > 0 ? `${JSON.stringify(loss)}\n` : ""));
    this.#lost -= lost;
  }

  #fail(lost: number, error: unknown): void {
    this.#lost += lost;
    const message = `The audit log cannot be written: ${messageOf(error)}. Calls go on without it.`;
    if (!this.#hasWarned) this.#warn(message);
    this.#hasWarned = true;
  }
}

/** At 10 µs each for usual arguments: no longer than a call may take. */
const entriesAtOnce = 64;
/** Some 100 kB. */
const linesAtOnce = 256;
