import type { Web } from "../web.ts";

export type WebMethod = "fetchPage" | "renderPage" | "search";

/** What crosses to the web Worker for one call. */
export type WebCall = {
  readonly [Method in WebMethod]: {
    readonly method: Method;
    readonly request: Parameters<Web[Method]>[0];
  };
}[WebMethod];

/** Has `web` do what a call asks for. */
export function performWebCall(
  web: Web,
  { method, request }: WebCall,
  signal: AbortSignal,
): Promise<unknown> {
  switch (method) {
    case "fetchPage":
      return web.fetchPage(request, signal);
    case "renderPage":
      return web.renderPage(request, signal);
    case "search":
      return web.search(request, signal);
  }
}
