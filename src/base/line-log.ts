import { messageOf } from "./errors.ts";
import { turnOfLoop } from "./turns.ts";

/** Makes the line of an entry; later, so that calls need not wait for it. */
export type LineEntry = () => string | Promise<string>;

/** Where lines go. */
export interface LineFile {
  /** @param lines each with its newline */
  append(lines: string): Promise<void>;
}

export interface LineLogParts {
  readonly file: LineFile;
  /** Called once, when nothing can be written. */
  readonly warn: (message: string) => void;
  /** The log's name for people: "audit log". */
  readonly name: string;
  /** Lines are written this long after the first of them. */
  readonly flushMs: number;
  /** Lines that may wait; more are lost, and counted. */
  readonly linesWaitingMax: number;
}

/** Collects lines and writes them now and then, and at the end. Never fails who adds one. */
export class LineLog {
  readonly #parts: LineLogParts;
  #waiting: LineEntry[] = [];
  #lines: string[] = [];
  /** Lines that no line of the log reports yet. */
  #lost = 0;
  #lostInAll = 0;
  #hasWarned = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #making: Promise<void> = Promise.resolve();
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: LineLogParts) {
    this.#parts = parts;
  }

  /** Lines that were lost since the start. */
  get lostInAll(): number {
    return this.#lostInAll;
  }

  add(entry: LineEntry): void {
    if (this.#waiting.length + this.#lines.length >= this.#parts.linesWaitingMax) {
      this.#lose(1);
      return;
    }
    this.#waiting.push(entry);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.flush(), this.#parts.flushMs);
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
      if (index % entriesAtOnce === entriesAtOnce - 1) await turnOfLoop();
      try {
        const line = entry();
        this.#lines.push(`${typeof line === "string" ? line : await line}\n`);
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
    await this.#parts.file.append(lines + (lost > 0 ? `${JSON.stringify(loss)}\n` : ""));
    this.#lost -= lost;
  }

  #lose(count: number): void {
    this.#lost += count;
    this.#lostInAll += count;
  }

  #fail(lost: number, error: unknown): void {
    this.#lose(lost);
    const { name, warn } = this.#parts;
    const message = `The ${name} cannot be written: ${messageOf(error)}. Calls go on without it.`;
    if (!this.#hasWarned) warn(message);
    this.#hasWarned = true;
  }
}

/** At 10 µs each for usual arguments: no longer than a call may take. */
const entriesAtOnce = 64;
/** Some 100 kB. */
const linesAtOnce = 256;
