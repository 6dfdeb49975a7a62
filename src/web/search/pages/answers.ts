import { messageOf } from "../../../base/errors.ts";
import type {
  BlockCause,
  EngineAnswer,
  EngineResponse,
  RawResult,
  SearchEngine,
} from "../engine.ts";
import { type EnginePage, openPage } from "./page.ts";

/** Rules that distinguish the pages of one engine. All of it looks at nodes, never at the text of the page. */
export interface PageRules {
  /** In the page's order; entries without title or address are dropped. */
  readonly results: (page: EnginePage) => readonly RawResult[] | Promise<readonly RawResult[]>;
  /** Host and path of pages of the engine itself, its ads and its click counters: no results. */
  readonly internal?: RegExp;
  /** The engine's own marker of an answer without results. */
  readonly isEmpty: (page: EnginePage) => boolean;
  /** The engine's own captcha, wall or denial; of a page without results. */
  readonly block?: (page: EnginePage) => EngineAnswer | undefined;
  readonly judgeLocation?: SearchEngine["judgeLocation"];
}

/**
 * Reads a response that should be a page. Results have precedence: pages of engines carry scripts of their captchas
 * also when all is well. A page without results and without a marker has changed.
 */
export async function readEnginePage(
  response: EngineResponse,
  rules: PageRules,
): Promise<EngineAnswer> {
  const moved = locationAnswer(response, rules.judgeLocation);
  if (moved !== undefined) return moved;
  try {
    return await judgePage(await openPage(response.text), response, rules);
  } catch (error) {
    return parseError(messageOf(error));
  }
}

async function judgePage(
  page: EnginePage,
  response: EngineResponse,
  rules: PageRules,
): Promise<EngineAnswer> {
  const unread = statusAnswer(response);
  if (unread === undefined) {
    const results = (await rules.results(page)).filter((result) => isUsable(result, rules));
    if (results.length > 0) return { state: "ok", results };
  }
  const wall = rules.block?.(page);
  if (wall !== undefined) return wall;
  if (unread === undefined && rules.isEmpty(page)) return noResults;
  return (
    challengeOf(page, response) ??
    unread ??
    errorTitleAnswer(page, response) ??
    parseError("no results and no sign of why: the markup may have changed")
  );
}

function isUsable({ title, url }: RawResult, { internal }: PageRules): boolean {
  const target = URL.parse(url);
  if (title === "" || target === null) return false;
  return internal === undefined || !internal.test(`${target.hostname}${target.pathname}`);
}

/** Where a response came from, or wants to send the reader, may say what it is. */
export function locationAnswer(
  { status, url, headers }: EngineResponse,
  judgeLocation: SearchEngine["judgeLocation"],
): EngineAnswer | undefined {
  const final = URL.parse(url);
  const said = final === null ? undefined : wallAt(final, judgeLocation);
  if (said !== undefined) return said;
  if (status < 300 || status >= 400) return undefined;
  const target = URL.parse(headers["location"] ?? "", url);
  if (target === null) return failed(`HTTP ${status} without a location`);
  return wallAt(target, judgeLocation) ?? failed(`redirected to ${target.host}`);
}

/** The answers of engines, each made in one place. */

const noResults: EngineAnswer = { state: "no_results" };

export function blocked(detail: string, cause: BlockCause = "challenge"): EngineAnswer {
  return { state: "blocked", cause, detail };
}

/** A place on the way that asks for consent. */
export function consentWall(): EngineAnswer {
  return blocked("consent", "denied");
}

export function rateLimited(detail: string, retryAfterMs?: number): EngineAnswer {
  return { state: "rate_limited", detail, retryAfterMs };
}

export function parseError(detail: string): EngineAnswer {
  return { state: "parse_error", detail };
}

export function failed(detail: string): EngineAnswer {
  return { state: "error", detail };
}

/**
 * The entries that an API listed, each read by `read`: those without a title or an address are of no use. An empty list is
 * an answer; without a list there is none.
 */
export async function listed(
  entries: readonly unknown[] | undefined,
  read: (entry: unknown) => RawResult | Promise<RawResult>,
): Promise<EngineAnswer | undefined> {
  if (entries === undefined) return undefined;
  const results = await Array.fromAsync(entries, read);
  const usable = results.filter(({ title, url }) => title !== "" && url !== "");
  if (usable.length > 0) return { state: "ok", results: usable };
  return entries.length === 0
    ? noResults
    : parseError(`none of ${entries.length} entries has a title and an address`);
}

const secondMs = 1_000;

/** The meaning of the status line alone; undefined for a response that has to be read. */
export function statusAnswer({ status, headers }: EngineResponse): EngineAnswer | undefined {
  if (status >= 200 && status < 300) return undefined;
  const detail = `HTTP ${status}`;
  if (status === 429) return rateLimited(detail, retryAfterMs(headers));
  if (status === 401 || status === 402 || status === 403) {
    return blocked(`denied, ${detail}`, "denied");
  }
  return failed(detail);
}

/** `Retry-After` in ms: seconds or a date. Undefined when it is missing or means nothing. */
export function retryAfterMs(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers["retry-after"]?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * secondMs;
  const until = Date.parse(value);
  if (Number.isNaN(until)) return undefined;
  const now = Date.parse(headers["date"] ?? "");
  return Math.max(0, until - (Number.isNaN(now) ? Date.now() : now));
}

/** Titles of the error pages that servers come with: `403 Forbidden`. */
const errorTitle =
  /^(?:error |HTTP )?([45]\d\d)(?: [-–—:])? (?:unauthorized|forbidden|not found|too many requests|internal server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out)$/i;

/** The status that a page names which was saved without it. Only for pages without results. */
export function errorTitleAnswer(
  page: EnginePage,
  response: EngineResponse,
): EngineAnswer | undefined {
  const status = errorTitle.exec(page.title)?.[1];
  return status === undefined ? undefined : statusAnswer({ ...response, status: Number(status) });
}

/** Cloudflare's challenge, confirmed by the Ecosia capture of 2026-06; its error pages name their code. */
const cloudflareSelector = [
  '[class*="cf-chl"]',
  '[id*="cf-chl"]',
  '[action*="__cf_chl"]',
  'script[src*="/challenge-platform/"]:not([src*="/scripts/jsd/"])',
  'input[name="cf-turnstile-response"]',
].join(", ");
const cloudflareTitle = /^Just a moment\.\.\.$/;
const cloudflareErrorSelector = ".cf-error-code, #cf-error-details, .cf-error-details";
const cloudflareError = /\b1020\b/;
/** All that there is when the client does not look like a browser. */
const cloudflareSentence = /^error code: 1020$/i;
/** `jsd` is its measurement of clients, which is in good pages as well. */
const cloudflareScript = /\b_cf_chl_opt\b|\/challenge-platform\/(?!scripts\/jsd\/)/;

/** Widgets of the services that ask for a proof of being human (`g-recaptcha`, `h-captcha`), and the names that sites give to their own. */
const captchaSelector = [
  '[id*="captcha" i]',
  '[class*="captcha" i]',
  'form[action*="captcha" i]',
  'script[src*="captcha" i]',
  'iframe[src*="captcha" i]',
].join(", ");

/** Nothing but that: `captcha - Some Search` may be a search for the word. */
const captchaTitle = /^captcha$/i;
const captchaSentence =
  /\b(?:verify|confirm|prove)(?:ing)? (?:that )?you(?:(?:'|’)re| are) (?:a |not a )(?:human|robot|bot)\b/i;

/**
 * The answers that any site may give to a suspected bot: Cloudflare's challenge, a captcha. Only for pages without
 * results.
 */
export function challengeOf(
  page: EnginePage,
  { headers }: EngineResponse,
): EngineAnswer | undefined {
  if (headers["cf-mitigated"] === "challenge" || isCloudflare(page)) return blocked("cloudflare");
  const isCaptcha =
    page.has(captchaSelector) || captchaTitle.test(page.title) || page.says(captchaSentence);
  return isCaptcha ? blocked("captcha") : undefined;
}

function isCloudflare(page: EnginePage): boolean {
  return (
    cloudflareTitle.test(page.title) ||
    page.has(cloudflareSelector) ||
    page.says(cloudflareSentence) ||
    page.all(cloudflareErrorSelector).some((element) => cloudflareError.test(page.text(element))) ||
    page.scripts().some((script) => cloudflareScript.test(script))
  );
}

const captchaHost = /captcha/;
/** A folder or file of that name; the query is behind the question mark. */
const captchaPath = /\/[^/]*captcha[^/]*(?:\/|$)/i;
const consentHost = /^consent\./;

/**
 * The meaning of a place to which an engine sends its reader: each knows its own walls, and there are those of services
 * that serve many. Undefined = nothing.
 */
export function wallAt(
  place: URL,
  judgeOwn: SearchEngine["judgeLocation"],
): EngineAnswer | undefined {
  const said = judgeOwn?.(place);
  if (said !== undefined) return said;
  const { hostname, pathname } = place;
  if (captchaHost.test(hostname) || captchaPath.test(pathname)) return blocked("captcha");
  return consentHost.test(hostname) ? consentWall() : undefined;
}
