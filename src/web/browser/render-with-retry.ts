import { AppError } from "../../base/errors.ts";
import type { LoadedPage, RenderPageRequest } from "../pages/loaded-page.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import type { BrowserHost } from "./browser-host.ts";
import { renderPage } from "./render-page.ts";
import type { Tab } from "./tab.ts";
import { TabLost } from "./tab-lost.ts";
import { assertWanted, type Turns } from "../../base/turns.ts";
import { untilAborted } from "./until-aborted.ts";

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
export async function renderWithRetry(
  parts: RenderParts,
  request: RenderPageRequest,
  signal: AbortSignal,
): Promise<LoadedPage> {
  for (let round = 1; ; round++) {
    try {
      return await renderOnce(parts, request, signal);
    } catch (error) {
      if (!(error instanceof TabLost)) throw error;
      assertWanted(signal);
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
