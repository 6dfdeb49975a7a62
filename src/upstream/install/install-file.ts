import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { ownValue } from "../../base/own-value.ts";
import { isRunningStill, ownIdentity } from "../../commands/process/proc-table.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { writePrivate } from "../cache/write-private.ts";

/** What was fetched once, and what its runner said of it. */
export interface Fetched {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Of the runner's environment, what programs find in it that are started without it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders that it puts before all others into PATH. */
  readonly path?: readonly string[];
}

/** Who is fetching. */
interface Holder {
  readonly pid: number;
  readonly startTicks: number | null;
  /** Within that process: it may have lost the Worker that began. */
  readonly token: string;
  readonly since: number;
}

interface InstallState {
  readonly holder?: Holder;
  /** By the surroundings for which it was fetched. */
  readonly fetched: Readonly<Record<string, Fetched>>;
}

/** Those of this Worker. */
const held = new Set<string>();

/** Surroundings that are remembered for one package; the oldest are fetched for again, which finds them there. */
const surroundingsMax = 32;
const lookEveryMs = 250;

/**
 * The file of this user for one package of one runner: who fetches it, one at a time in all processes, and for which
 * surroundings it has been fetched.
 */
export class InstallFile {
  readonly #path: string;

  /** @param scorpioxDir `~/.scorpiox` */
  constructor(scorpioxDir: string, runner: string, packages: readonly string[]) {
    const hash = createHash("sha256")
      .update(JSON.stringify([runner, ...packages]))
      .digest("hex");
    this.#path = join(scorpioxDir, "installs", `${hash.slice(0, 32)}.json`);
  }

  /** Never rejects: what cannot be read is fetched again. */
  async fetched(surroundings: string): Promise<Fetched | undefined> {
    return (await this.#read()).fetched[surroundings];
  }

  /**
   * Runs `fetch` while nobody else fetches this package, unless somebody has done so meanwhile.
   * @param isEnough whether what was fetched before will do
   * @throws what `fetch` throws; AppError `system`; AbortError
   */
  async fetchOnce(
    surroundings: string,
    isEnough: (fetched: Fetched) => Promise<boolean>,
    fetch: () => Promise<Fetched>,
    signal: AbortSignal,
  ): Promise<Fetched> {
    const token = crypto.randomUUID();
    while (!(await this.#take(token))) {
      await sleep(lookEveryMs * (0.8 + Math.random() * 0.4), undefined, { signal });
    }
    try {
      const found = await this.fetched(surroundings);
      if (found !== undefined && (await isEnough(found))) return found;
      const fetched = await fetch();
      await this.#change((state) => ({ ...state, fetched: added(state, surroundings, fetched) }));
      return fetched;
    } finally {
      held.delete(token);
      await this.#change(({ holder, ...state }) =>
        holder === undefined || holder.token === token ? state : { ...state, holder },
      ).catch(() => {});
    }
  }

  /** True when nobody who lives has it. */
  async #take(token: string): Promise<boolean> {
    held.add(token);
    let isTaken = false;
    await this.#change((state) => {
      if (state.holder !== undefined && isAtWork(state.holder)) return state;
      isTaken = true;
      return { ...state, holder: { ...ownIdentity(), token, since: Date.now() } };
    });
    if (!isTaken) held.delete(token);
    return isTaken;
  }

  #change(change: (state: InstallState) => InstallState): Promise<void> {
    return withFileLock(this.#path, async () => {
      const before = await this.#read();
      const after = change(before);
      if (after !== before) await writePrivate(this.#path, JSON.stringify(after));
    });
  }

  async #read(): Promise<InstallState> {
    try {
      const state: unknown = JSON.parse(await readFile(this.#path, "utf8"));
      // Written by this program in a folder of this user alone.
      if (isObject(state) && isObject(state.fetched)) return ownValue(state);
    } catch {
      // There is none yet.
    }
    return { fetched: {} };
  }
}

function isAtWork(holder: Holder): boolean {
  return holder.pid === process.pid ? held.has(holder.token) : isRunningStill(holder);
}

function added(
  { fetched }: InstallState,
  surroundings: string,
  one: Fetched,
): InstallState["fetched"] {
  const others = Object.entries(fetched).filter(([key]) => key !== surroundings);
  const kept = others.sort(([, a], [, b]) => b.at - a.at).slice(0, surroundingsMax - 1);
  return Object.fromEntries([[surroundings, one], ...kept]);
}

/** What npm tells programs that it runs, and what they find of it in the variables of others. */
const kept = /^(?:npm_\w+|INIT_CWD|NODE|COLOR|EDITOR)$/;
/** Of the run that only fetched. */
const fetchOnly = new Set(["npm_config_call", "npm_config_loglevel", "npm_lifecycle_script"]);
/** npm's own settings are no secrets; tokens of registries it does not pass on, and nobody else shall by its name. */
const secret = /_auth|token|password|secret/i;

/** What a runner's environment, as it printed it, adds to that of programs; nothing when it printed none. */
export function readRunnerEnvironment(output: string): Pick<Fetched, "env" | "path"> {
  const variables = readVariables(output);
  if (variables.length === 0) return {};
  const env = variables.filter(
    ([name]) => kept.test(name) && !fetchOnly.has(name) && !secret.test(name),
  );
  const folders = variables.find(([name]) => name.toUpperCase() === "PATH")?.[1].split(delimiter);
  // npm puts its own folders first; that with node-gyp is the last of them.
  const last = folders?.findIndex((folder) => /[\\/]node-gyp-bin[\\/]?$/.test(folder)) ?? -1;
  return {
    env: Object.fromEntries(env),
    ...(last >= 0 && folders !== undefined ? { path: folders.slice(0, last + 1) } : {}),
  };
}

/** JSON, or lines of `NAME=value` as a Windows shell prints them. */
function readVariables(output: string): readonly (readonly [string, string])[] {
  const json = output.slice(output.indexOf("{")).trim();
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) {
      return Object.entries(value).flatMap(([name, text]) =>
        typeof text === "string" ? [[name, text] as const] : [],
      );
    }
  } catch {
    // Lines, then.
  }
  return output.split(/\r?\n/).flatMap((line) => {
    const at = line.indexOf("=");
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : [];
  });
}
