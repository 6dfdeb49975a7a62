import { pageBytesMax, pageFetchMsMax } from "../../base/limits.ts";

const MIB = 1024 * 1024;

/** Bounds of the browser, in one value so that tests can have shorter ones. Times in ms. */
export interface BrowserBounds {
  /** From the start of the process to its first answer; seconds on a busy machine, a few hundred ms usually. */
  readonly launchMsMax: number;
  /** A browser that is asked to close is killed after this; it takes up to 310 ms, and its Worker has 1.5 s for all. */
  readonly closeMsMax: number;
  /** Without a call it is closed after this: it takes 300 MB, and starts again in half a second. */
  readonly idleMs: number;
  /** Pages that one browser shows before another replaces it, which frees leaked memory. */
  readonly pagesPerBrowserMax: number;
  /** Pages open for calls at a time; each takes two processes or so. */
  readonly pagesOpenMax: number;
  /** From the request to the first byte of the document, redirects included; as long as the fetch path waits. */
  readonly navigationMsMax: number;
  /** From the request until the page is taken as it is (docs/browser.md#when-a-page-counts-as-there). */
  readonly settleMsMax: number;
  /** A page that does not answer a question for this long after that has its scripts stopped. */
  readonly answerMsMax: number;
  /** Characters of HTML that are handed on: as many bytes as the fetch path reads. */
  readonly htmlCharsMax: number;
  /** Bytes of a document after which its loading is stopped: text beyond `htmlCharsMax` is not read. */
  readonly documentBytesMax: number;
  /** Bytes of all that a page loads, after which the rest is not loaded; large applications have some 20 MB. */
  readonly pageBytesMax: number;
  /** Documents that a page may send the browser on to by itself; browsers follow as many HTTP redirects. */
  readonly navigationsMax: number;
}

export const browserBounds: BrowserBounds = {
  launchMsMax: 20_000,
  closeMsMax: 1_000,
  idleMs: 90_000,
  pagesPerBrowserMax: 200,
  pagesOpenMax: 3,
  navigationMsMax: pageFetchMsMax,
  settleMsMax: 6_000,
  answerMsMax: 2_000,
  htmlCharsMax: pageBytesMax,
  documentBytesMax: 12 * MIB,
  pageBytesMax: 64 * MIB,
  navigationsMax: 20,
};
