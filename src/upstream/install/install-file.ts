import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { sha256Hex } from "../../base/digests.ts";
import { isObject, ownValue } from "../../base/values.ts";
import { isRunningStill, ownIdentity } from "../../commands/process/processes.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { writePrivate } from "../cache/write-private.ts";

/** A finished fetch, with the environment that its runner printed. */
export interface Fetched {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Variables that the runner sets for its programs; a direct start sets them as well. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders that the runner puts first in PATH. */
  readonly path?: readonly string[];
}

/** The process that is fetching. */
interface Holder {
  readonly pid: number;
  readonly startTicks: number | null;
  /** Unique within that process, which may have lost the Worker that began. */
  readonly token: string;
  readonly since: number;
}

interface InstallState {
  readonly holder?: Holder;
  /** By a hash of the environment for which it was fetched. */
  readonly fetched: Readonly<Record<string, Fetched>>;
}

/** The tokens of this Worker. */
const held = new Set<string>();

/** Environments that are remembered for one package; for forgotten ones the runner runs again and finds its files. */
const surroundingsMax = 32;

const lookEveryMs = 250;

/**
 * The file of this user for one package of one runner: the process that fetches it, one at a time among all processes,
 * and the environments for which it has been fetched.
 */
export class InstallFile {
  readonly #path: string;

  /** @param scorpioxDir `~/.scorpiox` */
  constructor(scorpioxDir: string, runner: string, packages: readonly string[]) {
    const hash = sha256Hex(JSON.stringify([runner, ...packages]));
    this.#path = join(scorpioxDir, "installs", `${hash.slice(0, 32)}.json`);
  }

  /** Never rejects: after an unreadable file the package is fetched again. */
  async fetched(surroundings: string): Promise<Fetched | undefined> {
    return (await this.#read()).fetched[surroundings];
  }

  /**
   * Runs `fetch` while no other process fetches this package, unless one has done so meanwhile.
   * @param isEnough whether an earlier fetch can be used
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

  /** Takes the lock unless a living process holds it; true on success. */
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
      // Only this program writes it, in a folder that is private to the user.
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
