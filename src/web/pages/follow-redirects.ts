import { AppError } from "../../base/errors.ts";
import { pageRedirectsMax } from "../../base/limits.ts";
import type { NetworkGuard } from "../guard/guard.ts";
import { assertReadable, quoted, splitFragment, targetCharsMax } from "./page-url.ts";

/** Where a chain of redirects ended. */
export interface Arrival {
  /** Without fragment. */
  readonly url: URL;
  /** Of the last redirect that had one; empty when none had. */
  readonly fragment: string;
  readonly response: Response;
  /** Notes for the reader about the redirects. */
  readonly notes: readonly string[];
}

export interface FollowOptions {
  readonly guard: Pick<NetworkGuard, "fetch">;
  /** The headers for one hop: a page that is kept is asked for with conditions. */
  readonly headersFor: (url: URL) => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The page that was asked for, when another one led to the start. */
  readonly pageUrl?: URL;
  /** Addresses that were asked already; those on this way are added. */
  readonly visited?: Set<string>;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * GETs `start`, and its redirect targets; the guard judges each hop.
 * @throws AppError as the guard does; `limit` after too many redirects, `system` for a loop and for a target that is
 * not a URL, `refused` for one that is not read
 */
export async function followRedirects(start: URL, options: FollowOptions): Promise<Arrival> {
  const { guard, headersFor, signal, pageUrl = start, visited = new Set<string>() } = options;
  const notes: string[] = [];
  let url = start;
  let fragment = "";
  for (;;) {
    visited.add(url.href);
    const response = await guard.fetch({ url, headers: headersFor(url), signal, pageUrl });
    const location = redirectOf(response);
    if (location === undefined) return { url, fragment, response, notes };
    void response.body?.cancel().catch(() => {});
    const target = splitFragment(targetOf(location, url));
    assertGoesOn(target.url, visited);
    if (url.protocol === "https:" && target.url.protocol === "http:") notes.push(downgraded(url));
    url = target.url;
    fragment = target.fragment || fragment;
  }
}

/** A redirect without a target is a page like any other. */
function redirectOf(response: Response): string | undefined {
  if (!redirectStatuses.has(response.status)) return undefined;
  return response.headers.get("location") ?? undefined;
}

function targetOf(location: string, from: URL): URL {
  // Bun gives header values as Latin-1; browsers take the bytes of a Location for UTF-8.
  const target = URL.parse(utf8Of(location), from.href);
  if (target === null) {
    throw new AppError(
      "system",
      `${quoted(from.href)} redirects to ${quoted(location)}, which is not a URL.`,
    );
  }
  assertReadable(target);
  if (target.href.length > targetCharsMax) {
    throw new AppError(
      "limit",
      `${quoted(from.href)} redirects to a URL of ${target.href.length} characters; the limit is ${targetCharsMax}: ${quoted(target.href)}.`,
    );
  }
  return target;
}

function utf8Of(text: string): string {
  if (!/[\u0080-\u00ff]/.test(text) || /[\u0100-\uffff]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

function assertGoesOn(target: URL, visited: ReadonlySet<string>): void {
  if (visited.has(target.href)) {
    throw new AppError(
      "system",
      `The page redirects in a loop, to ${quoted(target.href)} again. Pages that first set a cookie do ` +
        `that: pass wait_ms to open it in a browser.`,
    );
  }
  if (visited.size > pageRedirectsMax) {
    const [first = ""] = visited;
    throw new AppError(
      "limit",
      `${quoted(first)} redirects more than ${pageRedirectsMax} times, finally to ${quoted(target.href)}.`,
    );
  }
}

function downgraded(from: URL): string {
  return `${from.host} redirects from https: to http:, so the page was not protected in transit.`;
}
