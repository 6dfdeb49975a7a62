import type { Web } from "../web.ts";

export type WebMethod = "fetchPage" | "renderPage" | "search";

/** One call as it is sent to the web Worker. */
export type WebCall = {
  readonly [Method in WebMethod]: {
    readonly method: Method;
    readonly request: Parameters<Web[Method]>[0];
  };
}[WebMethod];

/** Performs a call on `web`. */
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
