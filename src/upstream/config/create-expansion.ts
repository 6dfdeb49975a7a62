import { secretCommandKeptMs } from "../../base/upstream-limits.ts";
import type { Environment } from "../../config/load-config.ts";
import type { ConfigDirs } from "../../config/places.ts";
import { runSecretCommand } from "../secrets/run-secret-command.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import type { ExpansionContext } from "./expansion-context.ts";

/**
 * What references are filled in from, of this user and this project.
 * @param dirs whose project may become another one
 * @param signal ends commands that run
 */
export function createExpansion(
  dirs: Pick<ConfigDirs, "homeDir" | "projectDir">,
  env: Environment,
  secrets: SecretStore,
  signal?: AbortSignal,
): ExpansionContext {
  const { homeDir } = dirs;
  const cwd = dirs.projectDir ?? homeDir;
  const outputs = new KeptOutputs((command) => runSecretCommand(command, { env, cwd, signal }));
  return {
    env,
    homeDir,
    get projectDir() {
      return dirs.projectDir;
    },
    secrets,
    runCommand: outputs.get,
  };
}

interface Kept {
  readonly at: number;
  readonly output: Promise<string>;
}

/** Runs the commands of `${cmd:…}`, each once in ten minutes; one that failed runs again the next time. */
export class KeptOutputs {
  readonly #run: (command: string) => Promise<string>;
  readonly #clock: () => number;
  readonly #kept = new Map<string, Kept>();

  /** @param clock milliseconds that never go back */
  constructor(run: (command: string) => Promise<string>, clock = () => performance.now()) {
    this.#run = run;
    this.#clock = clock;
  }

  /** @throws what running it throws */
  readonly get = (command: string): Promise<string> => {
    const now = this.#clock();
    for (const [each, { at }] of this.#kept) {
      if (now >= at + secretCommandKeptMs) this.#kept.delete(each);
    }
    const known = this.#kept.get(command);
    if (known !== undefined) return known.output;
    const kept = { at: now, output: this.#run(command) };
    this.#kept.set(command, kept);
    kept.output.catch(() => {
      if (this.#kept.get(command) === kept) this.#kept.delete(command);
    });
    return kept.output;
  };
}
