import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { Installer, type Prepared } from "../../../src/upstream/install/installer.ts";
import type { ProcessLaunch } from "../../../src/upstream/process/upstream-process.ts";
import type { Installing } from "../../../src/upstream/server-state.ts";
import { PlayedNpx, type NpxPlan } from "../../fixtures/runners/played-npx.ts";
import { type SpawnedProcess, spawnPiped } from "../../fixtures/upstream/spawn.ts";

/** An installer with a home of its own, and programs that it starts without anything of ours around them. */
export class InstallHarness implements Disposable {
  readonly npx: PlayedNpx;
  readonly home = mkdtempSync(join(tmpdir(), "scorpiox-installs-"));
  readonly #bin = join(this.home, "bin");
  readonly told: Installing[] = [];
  readonly logs: string[] = [];
  readonly started: SpawnedProcess[] = [];
  now: number = Date.now();
  readonly installer: Installer = this.another();

  constructor(plan: NpxPlan = {}) {
    this.npx = new PlayedNpx(plan);
    mkdirSync(this.#bin);
    symlinkSync(process.execPath, join(this.#bin, "node"));
  }

  /**
   * Bun runs as Node.js under its name, and starts in a tenth of its time: whoever fetches has Node.js print the
   * environment, and most tests fetch. What is started in the end is the real one.
   */
  get #env(): Readonly<Record<string, string>> {
    const { PATH = "", ...env } = this.npx.env;
    return {
      ...env,
      PATH: [this.#bin, PATH].join(delimiter),
      PLAYED_NODE: Bun.which("node") ?? "",
    };
  }

  /** As a second process of the user would have one. */
  another(): Installer {
    return new Installer({
      scorpioxDir: this.home,
      env: process.env,
      log: (_, line) => void this.logs.push(line),
      now: () => this.now,
      startProcess: ({ command, args, env, cwd }) => {
        const started = spawnPiped([command, ...args], { cwd, env: { ...process.env, ...env } });
        this.started.push(started);
        return Promise.resolve(started);
      },
    });
  }

  launch(args: readonly string[], command = this.npx.command): ProcessLaunch {
    return { server: "played", command, args, env: this.#env, inheritEnv: [], cwd: this.home };
  }

  prepare(
    args: readonly string[],
    {
      installer = this.installer,
      signal = new AbortController().signal,
      launcher = "direct",
      command = this.npx.command,
    }: Partial<How> = {},
  ): Promise<Prepared> {
    const wish = { launch: this.launch(args, command), launcher };
    return installer.prepare(wish, signal, (installing) => void this.told.push(installing));
  }

  /** A program of that name that is a script of a shell. */
  program(name: string, script: string): string {
    const path = join(this.#bin, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  [Symbol.dispose](): void {
    this.npx[Symbol.dispose]();
    rmSync(this.home, { recursive: true, force: true });
  }
}

interface How {
  readonly installer: Installer;
  readonly signal: AbortSignal;
  readonly launcher: "direct" | "as-is";
  readonly command: string;
}

/** What failed, as whoever reads it sees it. */
export function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "nothing failed",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
