import { join } from "node:path";

import { AppError, cancelledError } from "../../base/errors.ts";
import { Turns } from "../../base/turns.ts";
import { assertNotAborted } from "../../base/cancellation.ts";
import type { NetworkGuard } from "../guard/network-guard.ts";
import type { PageRenderer } from "../pages/page-cache.ts";
import type { LoadedPage, RenderPageRequest } from "../pages/page-url.ts";
import { type BrowserBounds, browserBounds } from "./browser-bounds.ts";
import { BrowserHost } from "./browser-host.ts";
import { launchBrowser } from "./launch-browser.ts";
import { sweepProfiles } from "./profile-folder.ts";
import type { RunningBrowser } from "./running-browser.ts";
import { readSystemFacts } from "./system-facts.ts";
import { type BrowserSearch, findBrowser } from "./find-browser.ts";
import { renderPage } from "./render-page.ts";
import { type Tab, TabLost } from "./tab.ts";

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

/**
 * Opens pages in the user's Chrome, Chromium or Edge, without a window. Nothing is started before the first
 * page; disposing of it ends the browser and whatever waits for it.
 */
export function createBrowser(
  options: BrowserOptions,
  guard: NetworkGuard,
  bounds: BrowserBounds = browserBounds,
): PageRenderer {
  const launcher = new BrowserLauncher(options, guard, bounds);
  const host = new BrowserHost(() => launcher.launch(), bounds);
  const turns = new Turns(bounds.pagesOpenMax);
  const ended = new AbortController();
  return {
    async render(request: RenderPageRequest, signal: AbortSignal): Promise<LoadedPage> {
      assertWebUrl(request.url);
      const wanted = AbortSignal.any([signal, ended.signal]);
      using _turn = await turns.take(wanted);
      return await renderWithRetry({ host, turns, bounds }, request, wanted);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      ended.abort();
      await host.close();
    },
  };
}

/** @throws AppError `usage`: everything but the web is refused before anything starts */
function assertWebUrl(text: string): void {
  const url = URL.parse(text);
  if (url === null) throw new AppError("usage", `${text} is not a URL.`);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AppError("usage", `Cannot open ${text}: only http: and https: URLs are supported.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new AppError("usage", `URLs with credentials are not opened. Remove the credentials.`);
  }
}

/** How often a call is tried when its tab or the browser goes away under it. */
const triesMax = 2;

interface RenderParts {
  readonly host: BrowserHost;
  /** Waiting callers need the room that a spare tab would take. */
  readonly turns: Turns;
  readonly bounds: BrowserBounds;
}

/**
 * Shows a page in a tab of its own, and once more when that goes away under it.
 * @throws AppError as `Web.renderPage`
 */
async function renderWithRetry(
  parts: RenderParts,
  request: RenderPageRequest,
  signal: AbortSignal,
): Promise<LoadedPage> {
  for (let round = 1; ; round++) {
    try {
      return await renderOnce(parts, request, signal);
    } catch (error) {
      if (!(error instanceof TabLost)) throw error;
      assertNotAborted(signal);
      if (round >= triesMax) throw lostError(request.url, error);
    }
  }
}

async function renderOnce(
  parts: RenderParts,
  request: RenderPageRequest,
  signal: AbortSignal,
): Promise<LoadedPage> {
  const { host, turns, bounds } = parts;
  const open = await untilAborted(host.take(), signal, (late) => host.release(late));
  const { tab, browser } = open;
  try {
    const onWaiting = (): void => {
      if (!turns.hasWaiting) host.prepareSpare();
    };
    const page = renderPage({ request, tab, bounds, browserNotes: browser.notes, onWaiting });
    return await untilAborted(lostOr(tab, page), signal, () => undefined);
  } finally {
    host.release(open);
  }
}

/** A page whose tab is gone never ends by itself: commands to it may stay unanswered. */
function lostOr(tab: Tab, page: Promise<LoadedPage>): Promise<LoadedPage> {
  page.catch(() => undefined);
  return Promise.race([page, tab.lost]);
}

function lostError(url: string, { why }: TabLost): AppError {
  return new AppError(
    "system",
    why === "crashed"
      ? `${url} crashed its browser tab twice.`
      : `The browser exited twice while showing ${url}.`,
  );
}

/**
 * The result of `work`, or the end of the call, whichever is first.
 * @throws AppError `cancelled`
 * @param onLate receives the result of the work when it comes too late
 */
async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  onLate: (value: T) => void,
): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(cancelledError());
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  aborted.promise.catch(() => undefined);
  try {
    return await Promise.race([work, aborted.promise]);
  } catch (error) {
    if (signal.aborted) work.then(onLate, () => undefined);
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

type FoundBrowser = Extract<BrowserSearch, { readonly kind: "found" }>;

/** Finds the browser once, and starts it. */
class BrowserLauncher {
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
