import type { Web } from "../web.ts";

export type WebMethod = "fetchPage" | "renderPage" | "search";

/** One call as it is sent to the web Worker. */
export interface WebCall {
  readonly method: WebMethod;
  readonly request: unknown;
}

/** Performs a call on `web`. */
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
