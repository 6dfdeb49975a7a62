import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder of one test's own; gone with it. */
export class TempFolder implements Disposable {
  readonly path: string;

  constructor() {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), "scorpiox-e2e-")));
  }

  /** The path of something in it. */
  at(...names: string[]): string {
    return join(this.path, ...names);
  }

  /** Makes a file, with the folders that it needs. */
  write(name: string, text: string, mode?: number): string {
    const path = this.at(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (mode !== undefined) chmodSync(path, mode);
    return path;
  }

  folder(name: string): string {
    const path = this.at(name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}
