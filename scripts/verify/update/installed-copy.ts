/** A copy of the program in a home of its own, which is updated. */
import { linkSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { testEnvironment } from "../../../test/e2e/harness/server.ts";
import type { TempFolder } from "../../../test/e2e/harness/temp-folder.ts";

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class InstalledCopy {
  readonly #folder: string;

  constructor(
    readonly home: TempFolder,
    readonly path = home.at(".scorpiox/scorpiox-code"),
  ) {
    this.#folder = dirname(this.path);
    mkdirSync(this.#folder, { recursive: true });
  }

  /** Puts this version there by another name of the file: an update writes no file that it has not made. */
  put(program: string, previous?: string): void {
    for (const name of this.files()) rmSync(`${this.#folder}/${name}`, { force: true });
    linkSync(program, this.path);
    if (previous !== undefined) linkSync(previous, `${this.path}.previous`);
  }

  /** What lies beside the program, and the program. */
  files(): readonly string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.includes("scorpiox-code"))
      .sort();
  }

  /** Changes when the file is replaced or written. */
  state(): string {
    const { ino, size, mtimeMs } = statSync(this.path);
    return JSON.stringify([ino, size, mtimeMs, this.files()]);
  }

  env(url: string): Record<string, string> {
    return { ...testEnvironment(this.home.path), SCORPIOX_RELEASE_URL: url };
  }

  /** Runs it to its end. */
  async run(words: readonly string[], url = ""): Promise<Ended> {
    return ended(
      Bun.spawn([this.path, ...words], {
        cwd: this.home.path,
        env: this.env(url),
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
  }

  /** The version that this file says it is. */
  async version(file = this.path): Promise<string> {
    const child = Bun.spawn([file, "version"], { stdio: ["ignore", "pipe", "pipe"] });
    const { stdout, stderr } = await ended(child);
    return /^scorpiox-code (\S+)$/m.exec(stdout)?.[1] ?? stderr.trim();
  }
}

export async function ended(child: Bun.Subprocess<"ignore", "pipe", "pipe">): Promise<Ended> {
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, stdout, stderr };
}
