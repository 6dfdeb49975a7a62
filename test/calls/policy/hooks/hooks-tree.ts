import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { HooksFolder } from "../../../../src/calls/policy/hooks/hook.ts";
import { hooksFoldersOf } from "../../../../src/calls/policy/hooks/session-folder.ts";

/** A home and a project with hooks folders; gone when disposed of. */
export class HooksTree implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "scorpiox-hooks-")));
  readonly scorpioxDir = join(this.root, "home/.scorpiox");
  readonly projectDir = join(this.root, "project");

  constructor() {
    mkdirSync(this.scorpioxDir, { recursive: true });
    mkdirSync(this.projectDir, { recursive: true });
  }

  get folders(): readonly HooksFolder[] {
    return hooksFoldersOf(this);
  }

  /** A hook of the user, by event and name. */
  user(key: string, text = "exit 0\n", mode = 0o755): string {
    return this.#write(join(this.scorpioxDir, "hooks", key), text, mode);
  }

  project(key: string, text = "exit 0\n", mode = 0o755): string {
    return this.#write(join(this.projectDir, ".scorpiox/hooks", key), text, mode);
  }

  #write(path: string, text: string, mode: number): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 });
  }
}
