import { AppError } from "../../base/errors.ts";
import { pageUrlCharsMax } from "../../base/limits.ts";

/** The URL of a page, in two parts: the fragment never leaves this machine. */
export interface PageUrl {
  /** Without fragment. */
  readonly url: URL;
  /** With its `#`; empty without a fragment. */
  readonly fragment: string;
}

/** Characters of a URL that a page leads to; URLs of sign-in pages have some thousand. A caller gives `pageUrlCharsMax` at most. */
export const targetCharsMax = 8_192;

/** The most frequent unsupported schemes, with advice. */
const refusedSchemes: Readonly<Record<string, string>> = {
  "file:": "Local files are not read as pages. Use Bash, or ReadImage for images.",
  "data:": "A data: URL contains its content: there is nothing to fetch.",
  "blob:": "A blob: URL works only in the page that created it.",
  "javascript:": "A javascript: URL is a program, not a page.",
  "view-source:": "Remove view-source:; format html gives the source.",
  "chrome:": "A browser's internal pages are not read.",
  "about:": "A browser's internal pages are not read.",
  "ftp:": "FTP is not supported. Many FTP servers offer the same files over https:.",
};

/**
 * Reads the caller's URL, before anything is started.
 * @throws AppError `usage` for text that is not a URL, `refused` for one of another scheme or with credentials
 */
export function parsePageUrl(text: string): PageUrl {
  const trimmed = text.trim();
  if (trimmed.length > pageUrlCharsMax) {
    throw new AppError(
      "usage",
      `The URL has ${trimmed.length} characters; the limit is ${pageUrlCharsMax}.`,
    );
  }
  const url = URL.parse(trimmed);
  if (url === null) {
    throw new AppError(
      "usage",
      `Not a URL: ${quoted(trimmed)}. Pass a complete URL, for example https://example.org/page.`,
    );
  }
  assertReadable(url);
  return splitFragment(url);
}

/** @throws AppError `refused` for a scheme that is not read, or a URL with credentials */
export function assertReadable(url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    const advice = refusedSchemes[url.protocol] ?? "";
    const text = `Refused: only http: and https: URLs are supported, not ${quoted(url.protocol)}. ${advice}`;
    throw new AppError("refused", text.trim());
  }
  if (url.username !== "" || url.password !== "") {
    throw new AppError(
      "refused",
      `Refused: the URL contains a user name or a password before ${quoted(url.host)}. Remove it.`,
    );
  }
}

/** A URL without its fragment, and the fragment. */
export function splitFragment(url: URL): PageUrl {
  const fragment = url.hash;
  const bare = new URL(url.href);
  bare.hash = "";
  return { url: bare, fragment };
}

/** Outside text within a message: short, and with nothing that a terminal would act on. */
export function quoted(text: string): string {
  const shown = text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
  return JSON.stringify(shown).replaceAll(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Enough to recognise a URL. */
const shownCharsMax = 200;

/** The result of reading a URL, before anything is taken out of it. Plain data: it crosses threads. */

/** The body, with its character set already decoded. */
export type PageBody =
  | { readonly kind: "text"; readonly text: string }
  /** A type that is read as bytes (PDF), in base64. */
  | { readonly kind: "bytes"; readonly base64: string }
  /** A type that is of no use as text: nothing but its size is known. */
  | { readonly kind: "none"; readonly bytes: number | null };

export interface LoadedPage {
  /** As it was asked for, fragment included. */
  readonly url: string;
  /** After all redirects, with the fragment of `url` unless a redirect set its own. */
  readonly finalUrl: string;
  readonly status: number;
  /** Type and subtype in lower case, after sniffing; without parameters. */
  readonly contentType: string;
  readonly body: PageBody;
  readonly via: "fetch" | "browser";
  /** True when no request was made for it, or only a conditional one. */
  readonly isCached: boolean;
  /** Sentences for the reader: limits that applied, and the settings that lift them. */
  readonly notes: readonly string[];
}

/** Whose request it is, where several principals are served: nobody learns from a cache what another has asked for. */
export interface CacheOwner {
  /** Absent or empty: there is one. */
  readonly cacheOwner?: string;
}

export interface FetchPageRequest extends CacheOwner {
  readonly url: string;
}

export interface RenderPageRequest extends CacheOwner {
  readonly url: string;
  /** Extra time for the page to settle, in ms, after it looks settled. */
  readonly waitMs: number;
}
