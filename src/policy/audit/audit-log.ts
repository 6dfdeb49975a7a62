import { messageOf } from "../../base/errors.ts";
import { auditFlushMs, auditLinesWaitingMax } from "../../base/limits.ts";
import type { AuditFile } from "./audit-file.ts";

/** Makes the line of an entry; only when it is written, so that calls need not wait for it. */
export type AuditEntry = () => string;

/** Collects what is to be logged and writes it once a second, and at the end. Never fails a call. */
export class AuditLog {
  readonly #file: Pick<AuditFile, "append">;
  readonly #warn: (message: string) => void;
  #waiting: AuditEntry[] = [];
  #lost = 0;
  #hasWarned = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  /** @param warn told once that nothing can be written */
  constructor(file: Pick<AuditFile, "append">, warn: (message: string) => void) {
    this.#file = file;
    this.#warn = warn;
  }

  add(entry: AuditEntry): void {
    if (this.#waiting.length >= auditLinesWaitingMax) {
      this.#lost++;
      return;
    }
    this.#waiting.push(entry);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.flush(), auditFlushMs);
    this.#timer.unref();
  }

  /** Writes what waits. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // One after the other: lines stay in their order, and wait where they are counted while a disk does not answer.
    this.#writing = this.#writing.then(() => this.#writeWaiting());
    return this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    const entries = this.#waiting;
    this.#waiting = [];
    await this.#write(entries);
  }

  async #write(entries: readonly AuditEntry[]): Promise<void> {
    let written = 0;
    try {
      // A little at a time: arguments may be long, and meanwhile others are served.
      while (written < entries.length) {
        const part = entries.slice(written, written + entriesAtOnce);
        await this.#append(part.map((entry) => `${entry()}\n`));
        written += part.length;
      }
    } catch (error) {
      this.#lost += entries.length - written;
      const message = `The audit log cannot be written: ${messageOf(error)}. Calls go on without it.`;
      if (!this.#hasWarned) this.#warn(message);
      this.#hasWarned = true;
    }
  }

  async #append(lines: readonly string[]): Promise<void> {
    const lost = this.#lost;
    const loss = { time: new Date().toISOString(), lost };
    await this.#file.append(lines.join("") + (lost > 0 ? `${JSON.stringify(loss)}\n` : ""));
    this.#lost -= lost;
  }
}

/** At 10 µs each for usual arguments: no longer than a call may take. */
const entriesAtOnce = 64;
