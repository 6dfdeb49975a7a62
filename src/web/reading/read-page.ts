import { startTimer } from "../../base/cancellation.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import { isHeavyPage } from "../../base/weight.ts";
import type { ReadFormat, ReadPdf } from "../documents/read-document.ts";
import type { FetchPageRequest, LoadedPage, RenderPageRequest } from "../pages/page-url.ts";
import type { BrowserReason } from "./needs-browser.ts";
import { type LoadedText, type PageReading, readLoaded } from "./read-loaded.ts";

/**
 * The value of `promise`, if it comes by `deadline` (on the clock of `performance.now()`).
 * @throws the error of `late`, otherwise; the promise goes on, and its outcome is ignored
 */
async function within<Value>(
  promise: Promise<Value>,
  deadline: number,
  late: () => Error,
): Promise<Value> {
  if (deadline === Number.POSITIVE_INFINITY) return promise;
  const { promise: lateness, reject } = Promise.withResolvers<never>();
  const timer = startTimer(deadline - performance.now(), () => reject(late()));
  try {
    return await Promise.race([promise, lateness]);
  } finally {
    timer.stop();
  }
}

/** Where pages come from. */
export interface PageSource {
  fetchPage(request: FetchPageRequest): Promise<LoadedPage>;
  renderPage(request: RenderPageRequest): Promise<LoadedPage>;
  readonly readPdf: ReadPdf;
}

export interface ReadPageRequest {
  readonly url: string;
  readonly format: ReadFormat;
  /** Extra time for the page to settle in a browser, in ms; undefined = a browser only if it must be. */
  readonly waitMs: number | undefined;
  /** Time by which it must be done, on the clock of `performance.now()`; infinite when nobody waits. */
  readonly deadline: number;
}

/** Less time than this is not enough for a browser to show a page. */
const renderMsMin = 2_000;

const reasonTexts: Readonly<Record<BrowserReason, string>> = {
  thin: "hardly has any text without a browser",
  application: "is an application that a browser fills",
  scripts: "asks for JavaScript",
  challenge: "checks its visitors before it shows anything",
};

/**
 * Fetches the page and reads it; goes on to the browser when `waitMs` asks for that or the page needs one, and
 * returns whichever says more.
 * @throws AppError as `PageSource` and `readLoaded` do; `limit` when the page does not come in time
 */
export async function readPage(request: ReadPageRequest, source: PageSource): Promise<PageReading> {
  const { url, deadline } = request;
  let page: LoadedPage;
  try {
    page = await within(source.fetchPage({ url }), deadline, () => lateError(url));
  } catch (error) {
    return readUnfetched(request, source, error);
  }
  try {
    return await readFetched(request, source, page);
  } finally {
    giveBack(page);
  }
}

/** The tree of a large page goes before another one is read: left alone the runtime waits until as much again is in use. */
function giveBack({ body }: LoadedPage): void {
  if (body.kind === "text" && isHeavyPage(body.text)) Bun.gc(true);
}

async function readFetched(
  request: ReadPageRequest,
  source: PageSource,
  page: LoadedPage,
): Promise<PageReading> {
  const { format, waitMs } = request;
  const fetched = await readLoaded(page, format, source.readPdf);
  if (fetched.html === undefined) return fetched.reading;
  const reason = await whyBrowser(fetched);
  const isWanted = waitMs !== undefined || (reason !== undefined && mayHelp(page.status, reason));
  if (!isWanted) return fetched.reading;
  const rendered = await render(request, source);
  return choose(fetched, rendered, reason);
}

/**
 * Some servers only talk to browsers, or redirect clients without cookies in a loop.
 * @throws the error of the fetch, with the browser's message if it was used and failed too
 */
async function readUnfetched(
  request: ReadPageRequest,
  source: PageSource,
  failure: unknown,
): Promise<PageReading> {
  const mayGetFurther = failure instanceof AppError && failure.code === "system";
  if (request.waitMs === undefined || !mayGetFurther) throw failure;
  const rendered = await render(request, source);
  if ("problem" in rendered)
    throw new AppError(failure.code, `${failure.message} ${rendered.problem}`, { cause: failure });
  const { reading } = rendered.loaded;
  return { ...reading, notes: [...reading.notes, `A plain fetch failed: ${failure.message}`] };
}

/** A page of more elements than this is not a frame that a script has yet to fill, however little text it has. */
const frameTagsMax = 20_000;

async function whyBrowser({ html }: LoadedText): Promise<BrowserReason | undefined> {
  if (html?.short === undefined) return undefined;
  const { source, extraction } = html.short;
  const { reasonForBrowser } = await import("./needs-browser.ts");
  const { beginningOf, parseHtml } = await import("../dom/parse-html.ts");
  if (beginningOf(source, frameTagsMax) !== source) return undefined;
  const { toPlainText } = await import("../markdown/to-markdown.ts");
  return reasonForBrowser({
    html: source,
    document: parseHtml(source),
    title: extraction.title,
    text: toPlainText(extraction),
    textChars: html.textChars,
  });
}

/** A page that is not there has little text for a good reason; a browser is of use against challenges alone. */
function mayHelp(status: number, reason: BrowserReason): boolean {
  return (
    status < 400 || reason === "challenge" || status === 403 || status === 429 || status === 503
  );
}

type Rendered = { readonly loaded: LoadedText } | { readonly problem: string };

/** Never rejects when the browser fails: a page is already there. */
async function render(
  { url, format, waitMs = 0, deadline }: ReadPageRequest,
  source: PageSource,
): Promise<Rendered> {
  const leftMs = deadline - performance.now();
  if (leftMs < renderMsMin) return { problem: "There was no time left for the browser." };
  try {
    const page = await within(
      source.renderPage({ url, waitMs: Math.min(waitMs, leftMs - renderMsMin) }),
      deadline,
      () => lateError(url),
    );
    return { loaded: await readLoaded(page, format, source.readPdf) };
  } catch (error) {
    if (error instanceof AppError && error.code === "cancelled") throw error;
    return { problem: `The browser could not show it: ${messageOf(error)}` };
  }
}

function choose(
  fetched: LoadedText,
  rendered: Rendered,
  reason: BrowserReason | undefined,
): PageReading {
  const { reading } = fetched;
  const because = reason === undefined ? [] : [`The page ${reasonTexts[reason]}.`];
  if ("problem" in rendered)
    return {
      ...reading,
      notes: [
        ...reading.notes,
        ...because,
        `${rendered.problem} This is the result of a plain fetch.`,
      ],
    };
  const isLonger = charsOf(rendered.loaded) > charsOf(fetched);
  if (isLonger) return rendered.loaded.reading;
  const still =
    reason === "challenge" || reason === "scripts"
      ? [`The page ${reasonTexts[reason]}, and the browser got no further.`]
      : [];
  return { ...reading, notes: [...reading.notes, ...still] };
}

function charsOf({ html, reading }: LoadedText): number {
  return html?.textChars ?? reading.text.length;
}

function lateError(url: string): AppError {
  return new AppError(
    "limit",
    `${url} did not load within the client's time limit. Try again; a page that finishes loading is kept for some minutes.`,
  );
}
