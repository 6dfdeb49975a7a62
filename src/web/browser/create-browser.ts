import { AppError } from "../../base/errors.ts";
import type { NetworkGuard } from "../guard/guard.ts";
import type { LoadedPage, RenderPageRequest } from "../pages/loaded-page.ts";
import type { PageRenderer } from "../pages/rendered-pages.ts";
import type { BrowserOptions } from "./browser-launcher.ts";
import { type BrowserBounds, browserBounds } from "./browser-bounds.ts";
import { BrowserHost } from "./browser-host.ts";
import { BrowserLauncher } from "./browser-launcher.ts";
import { renderWithRetry } from "./render-with-retry.ts";
import { Turns } from "../../base/turns.ts";

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
