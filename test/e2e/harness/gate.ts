import { TempFolder } from "./temp-folder.ts";

/** Holds commands back until a test opens it. */
export class Gate implements Disposable {
  readonly #folder = new TempFolder();

  /** A command line that prints a line, waits for the gate, and prints another. */
  command(before: string, after: string): string {
    return `echo ${before}; ${this.wait}; echo ${after}`;
  }

  /** A command line that waits for the gate. */
  get wait(): string {
    return `until [ -e ${this.#folder.at("open")} ]; do sleep 0.05; done`;
  }

  open(): void {
    this.#folder.write("open", "");
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
