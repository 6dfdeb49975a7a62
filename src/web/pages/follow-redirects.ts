import { AppError } from "../../base/errors.ts";
import { pageRedirectsMax } from "../../base/limits.ts";
import type { NetworkGuard } from "../guard/network-guard.ts";
import {
  assertReadable,
  type LoadedPage,
  quoted,
  splitFragment,
  targetCharsMax,
} from "./page-url.ts";

/** Where a chain of redirects ended. */
export interface Arrival {
  /** Without fragment. */
  readonly url: URL;
  /** The fragment of the last redirect that had one; empty when none had. */
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

/** Pages that do nothing but send their reader on are a few hundred characters. */
const stubCharsMax = 32 * 1024;
/** Longer waits are pages that renew themselves, or that have something to be read first. */
const secondsMax = 5;
const says = /http-equiv\s*=\s*["']?\s*refresh/i;
const directive =
  /^\s*(\d{1,3})(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?["']?\s*([^"']+?)\s*["']?\s*$/i;

/**
 * The target of a page's `<meta http-equiv=refresh>`, as documentation does that has moved. The content of `noscript`
 * is ignored: it leads to a page about scripts.
 */
export async function refreshTarget(page: LoadedPage): Promise<URL | undefined> {
  const { body, contentType, status, finalUrl } = page;
  if (body.kind !== "text" || contentType !== "text/html" || status >= 400) return undefined;
  if (body.text.length > stubCharsMax || !says.test(body.text)) return undefined;
  const { parseHtml, walkElements } = await import("../dom/parse-html.ts");
  let target: URL | undefined;
  walkElements(parseHtml(body.text), ({ name, attribs }) => {
    if (name === "noscript" || name === "template") return "past";
    if (name === "meta" && attribs["http-equiv"]?.trim().toLowerCase() === "refresh") {
      target ??= refreshTargetOf(attribs["content"] ?? "", finalUrl);
    }
    return "into";
  });
  return target;
}

function refreshTargetOf(content: string, from: string): URL | undefined {
  const [, seconds, url] = directive.exec(content) ?? [];
  if (url === undefined || Number(seconds) > secondsMax) return undefined;
  const target = URL.parse(url, from);
  return target === null || target.href.length > targetCharsMax ? undefined : target;
}
