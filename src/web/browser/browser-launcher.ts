import { join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import type { NetworkGuard } from "../guard/allowance.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import { browserFlags } from "./browser-flags.ts";
import { BrowserProcess } from "./browser-process.ts";
import { connectDevTools } from "./devtools.ts";
import { type BrowserSearch, findBrowser } from "./find-browser.ts";
import {
  createProfile,
  type ProfileOwner,
  removeProfile,
  sweepProfiles,
} from "./profile-folder.ts";
import { RunningBrowser } from "./running-browser.ts";
import { readSystemFacts } from "./system-facts.ts";

export interface BrowserOptions {
  /** The user's choice (`CHROME_PATH` and its kin), and where it was made; undefined = look for one. */
  readonly chosenPath: { readonly path: string; readonly setting: string } | undefined;
  readonly homeDir: string;
  /** Environment of the browser process, without scorpiox-code's secrets. */
  readonly env: Readonly<Record<string, string>>;
  /** `SCORPIOX_OWNER` of this process, so that the guardian finds a browser that was left behind. */
  readonly instanceId: string;
  /** Private folder (0700) in which profiles are made. */
  readonly profilesDir: string;
}

type FoundBrowser = Extract<BrowserSearch, { readonly kind: "found" }>;

/** Finds the browser once, and starts it. */
export class BrowserLauncher {
  readonly #options: BrowserOptions;
  readonly #guard: NetworkGuard;
  readonly #bounds: BrowserBounds;
  #found: FoundBrowser | undefined;

  constructor(options: BrowserOptions, guard: NetworkGuard, bounds: BrowserBounds) {
    this.#options = options;
    this.#guard = guard;
    this.#bounds = bounds;
  }

  /** @throws AppError `unsupported` when there is no browser, `system` when it does not start */
  async launch(): Promise<RunningBrowser> {
    const { env, homeDir, instanceId } = this.#options;
    const { path, isSnap } = this.#find();
    const profilesDir = isSnap ? snapProfiles(homeDir) : this.#options.profilesDir;
    const owner = { pid: process.pid, instanceId };
    void sweepProfiles(profilesDir, owner);
    try {
      return await launchBrowser({
        path,
        profilesDir,
        owner,
        isSuperUser: process.platform === "linux" && process.getuid?.() === 0,
        env: { ...env, SCORPIOX_OWNER: instanceId },
        guard: this.#guard,
        bounds: this.#bounds,
      });
    } catch (error) {
      // It may have been removed or replaced: the next call looks again.
      this.#found = undefined;
      throw error;
    }
  }

  #find(): FoundBrowser {
    if (this.#found !== undefined) return this.#found;
    const { chosenPath, homeDir, env } = this.#options;
    const search = findBrowser(readSystemFacts(homeDir, env), chosenPath);
    if (search.kind !== "found") throw missingBrowser(search);
    this.#found = search;
    return search;
  }
}

/** Snap's confinement lets its Chromium write here, and not in the folders of others. */
function snapProfiles(homeDir: string): string {
  return join(homeDir, "snap", "chromium", "common", "scorpiox-code");
}

function missingBrowser(search: Exclude<BrowserSearch, FoundBrowser>): AppError {
  if (search.kind === "bad-choice") {
    const { setting, path } = search.chosen;
    return new AppError(
      "unsupported",
      `${setting} names ${path}, which ${search.problem}. Correct it, or unset it to let scorpiox-code find a browser.`,
    );
  }
  return new AppError(
    "unsupported",
    `No Chrome, Chromium, Edge or Brave was found in ${search.tried.length} places. Install one, or set CHROME_PATH ` +
      "to its executable. `scorpiox-code doctor browser` lists the places.",
  );
}

interface LaunchInput {
  readonly path: string;
  readonly profilesDir: string;
  readonly owner: ProfileOwner;
  readonly env: Readonly<Record<string, string>>;
  /** Its browser refuses to make a sandbox. */
  readonly isSuperUser: boolean;
  readonly guard: NetworkGuard;
  readonly bounds: BrowserBounds;
}

/** The reason why it did not start, with its output. */
class LaunchFailure extends Error {
  override readonly name = "LaunchFailure";

  constructor(
    message: string,
    readonly lastWords: string,
  ) {
    super(message);
  }
}

/** Only root's browser is started without a sandbox from the beginning: it would refuse otherwise. */
const rootNote =
  "The browser ran without its sandbox, because it refuses to use it when run as root.";
const sandboxNote =
  "The browser ran without its sandbox, because this system does not let it create one (user namespaces are disabled).";

/**
 * Starts the browser. When its sandbox cannot be made it is started without, and the pages say so.
 * @throws AppError `system` when it does not start
 */
export async function launchBrowser(input: LaunchInput): Promise<RunningBrowser> {
  try {
    if (input.isSuperUser) return await launch(input, false, [rootNote]);
    try {
      return await launch(input, true, []);
    } catch (error) {
      if (!(error instanceof LaunchFailure) || !isSandboxFailure(error.lastWords)) throw error;
      return await launch(input, false, [sandboxNote]);
    }
  } catch (error) {
    const words = error instanceof LaunchFailure ? lastLine(error.lastWords) : "";
    const said = words === "" ? "" : ` It said: ${words}`;
    throw new AppError(
      "system",
      `The browser ${input.path} did not start: ${messageOf(error)}.${said}`,
      { cause: error },
    );
  }
}

/** The messages that browsers print when the system denies them a sandbox. */
export function isSandboxFailure(words: string): boolean {
  return /no usable sandbox|without --no-sandbox|setuid sandbox|sandbox_host_linux|zygote_host_impl_linux|failed to move to new namespace|sandbox helper/i.test(
    words,
  );
}

async function launch(
  input: LaunchInput,
  isSandboxed: boolean,
  notes: readonly string[],
): Promise<RunningBrowser> {
  const { path, env, guard, bounds } = input;
  const profileDir = createProfile(input.profilesDir, input.owner);
  let browserProcess: BrowserProcess | undefined;
  try {
    const args = browserFlags(profileDir, isSandboxed);
    browserProcess = new BrowserProcess({ path, args, env });
    const running = connect(browserProcess, { guard, bounds, profileDir, notes });
    return await inTime(running, browserProcess, bounds.launchMsMax);
  } catch (error) {
    browserProcess?.kill();
    await browserProcess?.end(bounds.closeMsMax);
    await removeProfile(profileDir);
    throw error;
  }
}

interface Surroundings {
  readonly guard: NetworkGuard;
  readonly bounds: BrowserBounds;
  readonly profileDir: string;
  readonly notes: readonly string[];
}

async function connect(
  browserProcess: BrowserProcess,
  surroundings: Surroundings,
): Promise<RunningBrowser> {
  const root = connectDevTools(browserProcess.transport);
  return RunningBrowser.create({ ...surroundings, process: browserProcess, root });
}

async function inTime(
  running: Promise<RunningBrowser>,
  browserProcess: BrowserProcess,
  msMax: number,
): Promise<RunningBrowser> {
  const failed = Promise.withResolvers<never>();
  const fail = (message: string): void => failed.reject(new Error(message));
  const timer = setTimeout(() => fail(`it did not answer within ${msMax / 1000} s`), msMax);
  void browserProcess.ended.then(() => fail("it exited immediately"));
  for (const promise of [running, failed.promise]) promise.catch(() => undefined);
  try {
    return await Promise.race([endedRather(running, browserProcess), failed.promise]);
  } catch (error) {
    throw new LaunchFailure(messageOf(error), await browserProcess.lastWords());
  } finally {
    clearTimeout(timer);
  }
}

/** When the pipe breaks because the process ended, the end of the process says more. */
async function endedRather(
  running: Promise<RunningBrowser>,
  browserProcess: BrowserProcess,
): Promise<RunningBrowser> {
  try {
    return await running;
  } catch (error) {
    await Promise.race([browserProcess.ended, Bun.sleep(endMsMax)]);
    throw error;
  }
}

/** From the end of the pipe to the news of the end of the process, in ms. */
const endMsMax = 200;
const wordsMax = 200;

function lastLine(words: string): string {
  const lines = words.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "").slice(0, wordsMax);
}
