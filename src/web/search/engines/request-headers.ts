import type { EngineId, EngineSettings } from "../engine.ts";
import { acceptLanguage } from "./locale.ts";
import { desktopUserAgent, honestUserAgent } from "./user-agents.ts";

export type Headers = Readonly<Record<string, string>>;

/** No brotli: it upset Brave. */
const acceptEncoding = "gzip, deflate";
const acceptPage = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** The headers that a browser sends when a user opens a page. Without the `Sec-Fetch-*` set DuckDuckGo blocks. */
export function pageHeaders(id: EngineId, settings: EngineSettings): Headers {
  return {
    "User-Agent": desktopUserAgent(id),
    Accept: acceptPage,
    "Accept-Language": acceptLanguage(settings),
    "Accept-Encoding": acceptEncoding,
    DNT: "1",
    "Upgrade-Insecure-Requests": "1",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-User": "?1",
    "Sec-Fetch-Site": "none",
  };
}

/** The headers that a browser sends with a form of the engine's own page. @param referer that page */
export function formHeaders(id: EngineId, settings: EngineSettings, referer: string): Headers {
  return {
    ...pageHeaders(id, settings),
    "Sec-Fetch-Site": "same-origin",
    "Content-Type": "application/x-www-form-urlencoded",
    Origin: new URL(referer).origin,
    Referer: referer,
  };
}

/** The headers that a program sends to an API for programs, with its own name. */
export function apiHeaders(settings: EngineSettings): Headers {
  return {
    "User-Agent": honestUserAgent,
    Accept: "application/json",
    "Accept-Language": acceptLanguage(settings),
    "Accept-Encoding": acceptEncoding,
  };
}

/** A `Cookie` header of pairs whose values need no quoting. */
export function cookieHeader(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join("; ");
}

/** `name=value` pairs in the order given, for a query or a form. */
export function formOf(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams(fields).toString();
}
