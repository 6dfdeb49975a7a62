import { AttachApp } from "../../../src/interact/terminal/attach-app.ts";
import { createLook } from "../../../src/interact/terminal/cells.ts";
import type { Size } from "../../../src/interact/terminal/view.ts";
import { until } from "../../commands/process/until.ts";

const keyBytes: Readonly<Record<string, string>> = {
  enter: "\r",
  tab: "\t",
  up: "\u001b[A",
  down: "\u001b[B",
  pagedown: "\u001b[6~",
  "ctrl-c": "\u0003",
  "ctrl-z": "\u001a",
};

/** The interface before a screen that only knows what the painter writes. */
export class AppHarness implements Disposable {
  readonly app: AttachApp;
  bells = 0;
  suspended = 0;
  size: Size = { columns: 80, rows: 24 };
  #rows: string[] = [];

  constructor(runFolder: string) {
    this.app = new AttachApp({
      runFolder,
      look: createLook(false, true),
      size: () => this.size,
      write: (text) => this.#write(text),
      onSuspend: () => void this.suspended++,
    });
    this.app.start();
  }

  get screen(): string {
    return this.#rows.join("\n");
  }

  shows(text: string): Promise<void> {
    return until(() => this.screen.includes(text));
  }

  press(...keys: string[]): void {
    for (const key of keys) this.app.input(new TextEncoder().encode(keyBytes[key] ?? key));
  }

  [Symbol.dispose](): void {
    this.app.leave();
  }

  #write(text: string): void {
    if (text === "\u0007") this.bells++;
    // eslint-disable-next-line no-control-regex -- what the painter writes
    if (text.includes("\u001b[2J")) this.#rows = [];
    // eslint-disable-next-line no-control-regex -- what the painter writes
    for (const [, row, line] of text.matchAll(/\u001b\[(\d+);1H\u001b\[2K(.*?)\u001b\[0m/g)) {
      // eslint-disable-next-line no-control-regex -- styles
      this.#rows[Number(row) - 1] = (line ?? "").replaceAll(/\u001b\[\d+m/g, "");
    }
  }
}
