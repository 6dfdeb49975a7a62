import type { FetchPageRequest, LoadedPage, RenderPageRequest } from "./pages/loaded-page.ts";
import type { SearchReply, SearchRequest } from "./search/search-reply.ts";

/**
 * Everything that reaches the network for the tools: one guard, one browser, one set of engines. It lives in a Worker
 * of its own (`worker/`), or in a command of the command line. Failures are `AppError`s with a message for the reader:
 * `usage` for an invalid URL, `refused` for one that the guard refuses, `cancelled`, `limit`, `unsupported` without a
 * browser, `system` for the network.
 */
export interface Web extends AsyncDisposable {
  fetchPage(request: FetchPageRequest, signal: AbortSignal): Promise<LoadedPage>;
  renderPage(request: RenderPageRequest, signal: AbortSignal): Promise<LoadedPage>;
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply>;
}
