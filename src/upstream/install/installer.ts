import { sha256Hex } from "../../base/digests.ts";
import { messageOf } from "../../base/errors.ts";
import { Turns } from "../../base/turns.ts";
import {
  upstreamInstallsMax,
  upstreamRefetchMs,
  upstreamRefetchTagMs,
} from "../../base/upstream-limits.ts";
import type { Environment } from "../../base/values.ts";
import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { Installing } from "../server-state.ts";
import { directStart, fetchedVersion } from "./direct-start.ts";
import { runRunner, readRunnerEnvironment, fetchFailure } from "./fetch-packages.ts";
import { type Fetched, InstallFile } from "./install-file.ts";
import { isExactVersion, readRunner, type RunnerCommand } from "./runner-command.ts";

export interface InstallerParts {
  readonly scorpioxDir: string;
  /** scorpiox-code's own environment; runners behave differently by the variables that they see. */
  readonly env: Environment;
  readonly startProcess: (launch: ProcessLaunch) => Promise<UpstreamProcess>;
  readonly log: (server: string, line: string) => void;
  /** Limits the fetches that run at the same time; absent: its own turns. */
  readonly turns?: Turns;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A server's process before it is started. */
export interface InstallWish {
  readonly launch: ProcessLaunch;
  readonly launcher: "direct" | "as-is";
}

/** A launch after its package was fetched. */
export interface Prepared {
  readonly launch: ProcessLaunch;
  /** Its package is completely on this machine. */
  readonly isInstalled: boolean;
  /** The command line, where it differs from the entry's. */
  readonly startedAs?: string;
}

/** Fetches the packages that runners (`npx`, `uvx`, `docker run`, …) would fetch while they start a server (CN10a). */
export class Installer {
  readonly #parts: InstallerParts;
  readonly #turns: Turns;

  constructor(parts: InstallerParts) {
    this.#parts = parts;
    this.#turns = parts.turns ?? new Turns(upstreamInstallsMax);
  }

  /**
   * Makes sure that a server's package is completely on this machine. @param tell called with the package when fetching
   * begins @returns the launch, without the runner where that is equivalent
   * @throws ConnectionError with advice; AppError; the reason of `signal`
   */
  async prepare(
    wish: InstallWish,
    signal: AbortSignal,
    tell: (installing: Installing) => void,
  ): Promise<Prepared> {
    const { launch } = wish;
    const runner = readRunner(launch.command, launch.args);
    if (runner === undefined) return { launch, isInstalled: false };
    const file = new InstallFile(this.#parts.scorpioxDir, runner.runner, runner.packages);
    const surroundings = this.#surroundingsOf(launch, runner);
    // An image may be present that scorpiox-code did not fetch.
    const looked = runner.look === undefined ? undefined : { at: this.#now() };
    const known = (await file.fetched(surroundings)) ?? looked;
    const isKnown = known !== undefined && (await this.#isEnough(known, runner, launch));
    const fetched = isKnown
      ? known
      : await this.#fetch(runner, file, surroundings, launch, signal, tell);
    return { ...(await startOf(runner, fetched, wish)), isInstalled: true };
  }

  /**
   * Whether the fetched package is on disk and new enough: a name alone means the newest version, which is fetched
   * daily.
   */
  async #isEnough(
    fetched: Fetched,
    runner: RunnerCommand,
    launch: ProcessLaunch,
  ): Promise<boolean> {
    const { npx, look } = runner;
    if (look !== undefined) return this.#isThere(look, launch);
    const ageMs = this.#now() - fetched.at;
    const keptMs = runner.isTagged === true ? upstreamRefetchTagMs : upstreamRefetchMs;
    const isFresh = ageMs >= 0 && ageMs < keptMs;
    if (npx === undefined) return isFresh;
    const isWanted = (await fetchedVersion(npx, fetched)) !== undefined;
    return isWanted && (isFresh || isExactVersion(npx.range));
  }

  async #fetch(
    runner: RunnerCommand,
    file: InstallFile,
    surroundings: string,
    launch: ProcessLaunch,
    signal: AbortSignal,
    tell: (installing: Installing) => void,
  ): Promise<Fetched> {
    tell({ what: runner.packages.join(" "), runner: runner.runner, since: this.#now() });
    using _turn = await this.#turns.take(signal);
    const isEnough = (fetched: Fetched): Promise<boolean> =>
      this.#isEnough(fetched, runner, launch);
    const before = await file.fetched(surroundings);
    try {
      return await file.fetchOnce(
        surroundings,
        isEnough,
        () => this.#run(runner, launch, signal),
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      // Without the network, the version on disk is used.
      const isThere =
        before !== undefined &&
        (runner.npx === undefined || (await fetchedVersion(runner.npx, before)) !== undefined);
      if (!isThere || runner.look !== undefined) throw error;
      this.#parts.log(launch.server, `Nothing newer was fetched: ${messageOf(error)}`);
      return before;
    }
  }

  async #run(runner: RunnerCommand, launch: ProcessLaunch, signal: AbortSignal): Promise<Fetched> {
    const fetching = { ...launch, args: runner.fetch };
    const begin = this.#now();
    const end = await runRunner(this.#parts.startProcess, fetching, runner, signal);
    if (!end.isDone) throw fetchFailure(runner, end.errors);
    const seconds = Math.round((this.#now() - begin) / 1000);
    const what = runner.packages.join(" ");
    this.#parts.log(launch.server, `${runner.runner} has ${what}, after ${seconds} s.`);
    const found = runner.npx === undefined ? {} : readRunnerEnvironment(end.output);
    return { at: this.#now(), ...found };
  }

  async #isThere(look: readonly string[], launch: ProcessLaunch): Promise<boolean> {
    const { signal } = new AbortController();
    const wish = { ...launch, args: look };
    const end = await runRunner(this.#parts.startProcess, wish, {}, signal);
    return end.isDone;
  }

  /**
   * A hash of everything that decides where a runner puts packages and which variables it sets; hashed because it may
   * contain secrets.
   */
  #surroundingsOf(launch: ProcessLaunch, { fetch }: RunnerCommand): string {
    const { command, cwd, env, inheritEnv } = launch;
    const ours = this.#parts.env;
    const inherited = Object.fromEntries(
      ["HOME", "PATH", ...inheritEnv].map((name) => [name, ours[name]]),
    );
    const seen = Object.entries({ ...inherited, ...env }).filter(([name]) =>
      seenByRunners.test(name),
    );
    const sorted = seen.sort(([one], [other]) => (one < other ? -1 : 1));
    const all = [command, fetch, cwd, sorted];
    return sha256Hex(JSON.stringify(all)).slice(0, 32);
  }

  #now(): number {
    return (this.#parts.now ?? Date.now)();
  }
}

/** Variables that decide where runners look and which packages they get. */
const seenByRunners =
  /^(?:npm_|node|bun_|pnpm_|yarn_|uv_|pip|python|virtual_env|xdg_|docker_|home$|path$|te?mp|appdata|localappdata|userprofile|\w*proxy$|ssl_)/i;

/** The launch once its package is on this machine. */
async function startOf(
  { npx }: RunnerCommand,
  fetched: Fetched,
  { launch, launcher }: InstallWish,
): Promise<Pick<Prepared, "launch" | "startedAs">> {
  if (npx === undefined || launcher === "as-is") return { launch };
  const direct = await directStart(npx, fetched, launch.cwd);
  if (direct === undefined) return { launch };
  const { command, args, env, path } = direct;
  return {
    launch: { ...launch, command, args, env: { ...env, ...launch.env }, path },
    startedAs: [command, ...args].join(" "),
  };
}
