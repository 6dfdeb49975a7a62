import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { loadConfig } from "../../src/config/load-config.ts";
import type { LoadConfigInput, LoadedConfig } from "../../src/config/load-config.ts";

/** What stands at a path: text, bytes, a folder, or a symbolic link to a path below the root. */
export type TreeEntry = string | Uint8Array | { readonly dir: true } | { readonly link: string };

/** A temporary home, project and folder of the executable, with files in them. */
export class TempTree implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "scorpiox-config-")));

  constructor(files: Readonly<Record<string, TreeEntry>> = {}) {
    for (const dir of ["home", "project/.git", "bin"]) {
      mkdirSync(join(this.root, dir), { recursive: true });
    }
    for (const [path, entry] of Object.entries(files)) this.put(path, entry);
  }

  path(relative: string): string {
    return join(this.root, relative);
  }

  put(relative: string, entry: TreeEntry): void {
    const path = this.path(relative);
    mkdirSync(dirname(path), { recursive: true });
    if (typeof entry === "string" || entry instanceof Uint8Array) writeFileSync(path, entry);
    else if ("dir" in entry) mkdirSync(path);
    else symlinkSync(join(this.root, entry.link), path);
  }

  load(input: Partial<LoadConfigInput> = {}): LoadedConfig {
    return loadConfig({
      env: {},
      homeDir: this.path("home"),
      scorpioxDir: this.path("home/.scorpiox"),
      executableDir: this.path("bin"),
      projectDir: this.path("project"),
      ...input,
    });
  }

  /** `text` with the root taken out, so that a test can state it whole. */
  relative(text: string): string {
    return text.replaceAll(`${this.root}/`, "");
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** The files of the cascade, weakest first, with the level that each stands for. */
export const cascadeFiles = [
  ["executable", "bin/scorpiox-env.txt"],
  ["claude", "home/.claude/scorpiox-env.txt"],
  ["scorpiox", "home/.scorpiox/scorpiox-env.txt"],
  ["project", "project/.claude/scorpiox-env.txt"],
  ["project", "project/.scorpiox/scorpiox-env.txt"],
] as const;
