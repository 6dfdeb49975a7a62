import { join } from "node:path";

import { sandboxArgument } from "../../base/product.ts";
import {
  type BackendName,
  type Bounds,
  bubblewrapArguments,
  landlockRules,
  noShield,
  nothingHidden,
  sandboxExec,
  seatbeltArguments,
} from "./backend-arguments.ts";
import { makeTemporaryFolder, removePrivateFolder } from "./sandbox-folders.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/** How a backend starts a command within bounds: `command` goes before it, `data` to descriptor 3. */
export interface Start {
  readonly command: readonly string[];
  readonly data?: Uint8Array;
}

export interface Backend {
  readonly name: BackendName;
  /** It cannot keep the network away. */
  readonly needsNetwork: boolean;
  start(bounds: Bounds): Start;
}

/** The outcome of a trial: no `problem` = it works. */
export interface Trial {
  readonly name: BackendName;
  readonly hasNetwork: boolean;
  readonly problem: string | undefined;
}

export interface BackendParts {
  readonly platform: NodeJS.Platform;
  /** How this program starts itself. */
  readonly ownCommand: readonly string[];
  /** The absolute path of a program on the user's PATH. */
  readonly findProgram: (name: string) => string | undefined;
  /** An absolute path. */
  readonly shellPath: string;
  readonly tmpDir: string;
  /** Commands run as root, though without its capabilities. */
  readonly isRoot: boolean;
  /** How long a sandbox that failed is not tried again, in ms. */
  readonly failureKeptMs: number;
  /** Runs a program to its end; returns its output and its exit code. */
  readonly run: (start: Start, cwd: string) => Promise<{ exitCode: number | null; output: string }>;
}

interface KeptTrial {
  readonly trial: Promise<Trial>;
  /** On the clock of `performance.now()`; undefined = it is kept for good. */
  staleAt: number | undefined;
}

/**
 * Knows the sandboxes of this system and which of them work. Each is tried once, when it is first needed; a failed one
 * is tried again later, since the obstacle may be gone.
 */
export class Backends {
  readonly #parts: BackendParts;
  readonly #trials = new Map<string, KeptTrial>();

  constructor(parts: BackendParts) {
    this.#parts = parts;
  }

  /** The backends of this kind of system, the best first. */
  get known(): readonly BackendName[] {
    const { platform } = this.#parts;
    if (platform === "linux") return ["bubblewrap", "landlock"];
    return platform === "darwin" ? ["seatbelt"] : [];
  }

  /** The first that works here, or why none does. @param only no other is looked at */
  async choose(
    only: BackendName | undefined,
    hasNetwork: boolean,
  ): Promise<Backend | readonly Trial[]> {
    const failed: Trial[] = [];
    for (const name of only === undefined ? this.known : [only]) {
      const trial = await this.try(name, hasNetwork);
      if (trial.problem === undefined) return this.#backend(name);
      failed.push(trial);
    }
    return failed;
  }

  /** Really starts something in it. */
  try(name: BackendName, hasNetwork: boolean): Promise<Trial> {
    const key = `${name} ${hasNetwork}`;
    const known = this.#trials.get(key);
    if (known !== undefined && (known.staleAt ?? Infinity) > performance.now()) return known.trial;
    const kept: KeptTrial = { trial: this.#try(name, hasNetwork), staleAt: undefined };
    this.#trials.set(key, kept);
    const expire = (afterMs: number): void => void (kept.staleAt = performance.now() + afterMs);
    kept.trial.then(
      ({ problem }) => problem !== undefined && expire(this.#parts.failureKeptMs),
      () => expire(0),
    );
    return kept.trial;
  }

  async #try(name: BackendName, hasNetwork: boolean): Promise<Trial> {
    return { name, hasNetwork, problem: await this.#problemOf(name, hasNetwork) };
  }

  async #problemOf(name: BackendName, hasNetwork: boolean): Promise<string | undefined> {
    if (!this.known.includes(name)) return "it is not available on this system";
    if (name === "bubblewrap" && this.#bwrap === undefined) {
      return "bwrap is not on PATH; install bubblewrap";
    }
    const backend = this.#backend(name);
    if (!hasNetwork && backend.needsNetwork) return "it cannot block the network";
    const folder = await makeTemporaryFolder(this.#parts.tmpDir);
    try {
      return await this.#startIn(backend, hasNetwork, folder);
    } catch (error) {
      return `it could not be started: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      await removePrivateFolder(folder);
    }
  }

  async #startIn(
    backend: Backend,
    hasNetwork: boolean,
    folder: string,
  ): Promise<string | undefined> {
    const mode = "read-only";
    const [shield, hidden] = [noShield, nothingHidden];
    const bounds = { mode, hasNetwork, cwd: folder, writable: [], shield, hidden } as const;
    const { command, data } = backend.start(bounds);
    const script = [this.#parts.shellPath, "-c", tryToWrite, "sh", join(folder, "written")];
    const start = { command: [...command, ...script], ...(data === undefined ? {} : { data }) };
    const { exitCode, output } = await this.#parts.run(start, folder);
    if (exitCode === 0) return undefined;
    if (exitCode === hasWritten) return "a command in it could still write";
    const said = output.trim().split("\n").at(-1)?.slice(0, sayingCharsMax);
    return said ? `it failed: ${said}` : `it failed with exit code ${exitCode}`;
  }

  #backend(name: BackendName): Backend {
    switch (name) {
      case "bubblewrap":
        return {
          name,
          needsNetwork: false,
          start: (bounds) => ({
            command: [this.#bwrap ?? "bwrap", ...bubblewrapArguments(bounds, this.#parts.isRoot)],
            data: seccompFilter("own"),
          }),
        };
      case "landlock":
        return { name, needsNetwork: true, start: (bounds) => ({ command: this.#own(bounds) }) };
      case "seatbelt":
        return {
          name,
          needsNetwork: false,
          start: (bounds) => ({ command: [sandboxExec, ...seatbeltArguments(bounds)] }),
        };
    }
  }

  get #bwrap(): string | undefined {
    return this.#parts.findProgram("bwrap");
  }

  #own(bounds: Bounds): string[] {
    const rules = JSON.stringify(landlockRules(bounds));
    return [...this.#parts.ownCommand, sandboxArgument, rules];
  }
}

const hasWritten = 9;
/** The most that is kept of a failed backend's output. */
const sayingCharsMax = 200;
const tryToWrite = `if (: > "$1") 2>/dev/null; then exit ${hasWritten}; fi; exit 0`;
