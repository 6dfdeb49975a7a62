import type { Web } from "../web.ts";

export type WebMethod = "fetchPage" | "renderPage" | "search";

/** What crosses to the web Worker for one call. */
export interface WebCall {
  readonly method: WebMethod;
  readonly request: unknown;
}

/** Has `web` do what a call asks for. */
export function performWebCall(
  web: Web,
  { method, request }: WebCall,
  signal: AbortSignal,
): Promise<unknown> {
  switch (method) {
    case "fetchPage":
      return web.fetchPage(request as Parameters<Web["fetchPage"]>[0], signal);
    case "renderPage":
      return web.renderPage(request as Parameters<Web["renderPage"]>[0], signal);
    case "search":
      return web.search(request as Parameters<Web["search"]>[0], signal);
  }
}
