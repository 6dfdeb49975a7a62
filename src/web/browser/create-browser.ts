import { AppError, cancelledError } from "../../base/errors.ts";
import { assertNotAborted, Turns } from "../../base/turns.ts";
import type { NetworkGuard } from "../guard/allowance.ts";
import type { PageRenderer } from "../pages/page-cache.ts";
import type { LoadedPage, RenderPageRequest } from "../pages/page-url.ts";
import { type BrowserBounds, browserBounds } from "./browser-bounds.ts";
import { BrowserHost } from "./browser-host.ts";
import { BrowserLauncher, type BrowserOptions } from "./browser-launcher.ts";
import { renderPage } from "./render-page.ts";
import { type Tab, TabLost } from "./tab.ts";

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
