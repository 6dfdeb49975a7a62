import { closeSync, openSync } from "node:fs";

import { TempFolder } from "./temp-folder.ts";

/** Holds commands back until a test opens it. They wait in a pipe that nobody writes to yet, which costs no processor. */
export class Gate implements Disposable {
  readonly #folder = new TempFolder();
  readonly #pipe = this.#folder.at("pipe");
  #opened: number | undefined;

  constructor() {
    Bun.spawnSync(["mkfifo", this.#pipe]);
  }

  /** A command line that prints a line, waits for the gate, and prints another. */
  command(before: string, after: string): string {
    return `echo ${before}; ${this.wait}; echo ${after}`;
  }

  /** A command line that waits for the gate. */
  get wait(): string {
    return `: < ${this.#pipe}`;
  }

  /** Lets through who waits, and who comes later. */
  open(): void {
    // For both directions: it waits for nobody at the other end.
    this.#opened ??= openSync(this.#pipe, "r+");
  }

  [Symbol.dispose](): void {
    if (this.#opened !== undefined) closeSync(this.#opened);
    this.#folder[Symbol.dispose]();
  }
}
