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
  /** Sentences for the reader: what could not be done as wished, and which setting helps. */
  readonly notes: readonly string[];
}

export interface FetchPageRequest {
  readonly url: string;
}

export interface RenderPageRequest {
  readonly url: string;
  /** Extra time for the page to settle, in ms, after it looks settled. */
  readonly waitMs: number;
}
