import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import type { NetworkGuard } from "../guard/guard.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import { type BrowserSearch, findBrowser } from "./find-browser.ts";
import { launchBrowser } from "./launch-browser.ts";
import { sweepProfiles } from "./profile-folder.ts";
import type { RunningBrowser } from "./running-browser.ts";
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
