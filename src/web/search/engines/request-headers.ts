import { homepage, product } from "../../../base/product.ts";
import { type EngineId, engineIds, type EngineSettings } from "../engine.ts";

/** Region and language of a search, in the spellings of engines. */
interface SearchLocale {
  /** Two or three letters, lower case. */
  readonly language: string;
  /** Two letters, upper case: the one that was chosen, else where the language is most spoken. */
  readonly region: string;
  /** Undefined = everywhere. */
  readonly chosenRegion: string | undefined;
}

/** Reads the settings; an invalid language or region means English and everywhere. */
export function localeOf({ language, region }: EngineSettings): SearchLocale {
  const locale = parseLocale(language) ?? new Intl.Locale("en-US");
  const chosen = region ?? locale.region;
  const chosenRegion =
    chosen !== undefined && /^[a-z]{2}$/i.test(chosen) ? chosen.toUpperCase() : undefined;
  return {
    language: locale.language,
    region: chosenRegion ?? locale.maximize().region ?? "US",
    chosenRegion,
  };
}

function parseLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}

/** `en-US,en;q=0.9`, and English after any other language. */
function acceptLanguage(settings: EngineSettings): string {
  const { language, region } = localeOf(settings);
  const own = `${language}-${region},${language};q=0.9`;
  return language === "en" ? own : `${own},en;q=0.8`;
}

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

/**
 * The user agent of Chrome on a desktop: since 2022 all but the major version is frozen. 155 and 156 are the stable
 * versions of November 2026; older ones get fewer answers.
 */
const desktopChrome: readonly string[] = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/155.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/155.0.0.0 Safari/537.36",
];

/** Telephones without scripts, for whom Google keeps a page without scripts. */
const featurePhones: readonly string[] = [
  "Nokia6230/2.0 (04.44) Profile/MIDP-2.0 Configuration/CLDC-1.1",
  "Nokia6280/2.0 (03.60) Profile/MIDP-2.0 Configuration/CLDC-1.1",
  "Nokia7610/2.0 (5.0509.0) SymbianOS/7.0s Series60/2.1 Profile/MIDP-2.0 Configuration/CLDC-1.0",
  "NokiaN72/5.0706.4.0.1 Series60/2.8 Profile/MIDP-2.0 Configuration/CLDC-1.1",
];

/** For services that ask programs to identify themselves, with a contact. */
const honestUserAgent = [
  `${product.name}/${product.version}`,
  ...(homepage === undefined ? [] : [`(+${homepage})`]),
].join(" ");

/** One for each engine and process: DuckDuckGo ties its tokens to it. */
function desktopUserAgent(id: EngineId): string {
  return chosenOf(id, desktopChrome);
}

export function featurePhoneUserAgent(id: EngineId): string {
  return chosenOf(id, featurePhones);
}

const seed = Math.floor(Math.random() * 1_000);

function chosenOf(id: EngineId, choices: readonly string[]): string {
  return choices[(seed + engineIds.indexOf(id)) % choices.length] ?? "";
}
