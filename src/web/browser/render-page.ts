import { AppError } from "../../base/errors.ts";
import type { LoadedPage, RenderPageRequest } from "../loaded-page.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import { type PageSnapshot, snapshotScript } from "./snapshot-script.ts";
import { PageWorld } from "./page-world.ts";
import { navigationError, refusalOf, refusedError } from "./render-failure.ts";
import { renderNotes } from "./render-notes.ts";
import { awaitDocument, settlePage, type SettleInput, type SettleOutcome } from "./settle-page.ts";
import type { Tab } from "./tab.ts";

export interface RenderInput {
  readonly request: RenderPageRequest;
  readonly tab: Tab;
  readonly bounds: BrowserBounds;
  /** What the browser itself has to say. */
  readonly browserNotes: readonly string[];
  /** Called when the document is there and waiting begins: time for other work. */
  readonly onWaiting: () => void;
}

/** How often a page that replaces itself while it is written down is tried again. */
const snapshotTriesMax = 3;

/**
 * Shows a page and writes it down.
 * @throws AppError `refused`, `limit`, `system`; {TabLost} comes by `tab.lost`
 */
export async function renderPage(input: RenderInput): Promise<LoadedPage> {
  const { tab, request, bounds } = input;
  const startedAt = performance.now();
  tab.proxy.serve(new URL(request.url));
  const navigation = startNavigation(tab, request.url);
  const world = new PageWorld(tab);
  const settle: SettleInput = { tab, world, bounds, startedAt };
  await awaitDocument(settle, () => navigation.failure !== undefined, request.url);
  if (navigation.failure !== undefined && tab.traffic.committedAt === undefined) {
    return withoutDocument(input, navigation.failure);
  }
  input.onWaiting();
  const outcome = await settlePage(settle);
  if (request.waitMs > 0) await Bun.sleep(request.waitMs);
  assertArrived(input);
  const snapshot = await takeSnapshot(input, world);
  return describePage(input, snapshot, outcome);
}

interface Navigation {
  failure: string | undefined;
}

function startNavigation({ session }: Tab, url: string): Navigation {
  const navigation: Navigation = { failure: undefined };
  session
    .send("Page.navigate", { url })
    .then(({ errorText }) => (navigation.failure = errorText))
    // The tab is gone: whoever waits for it is told.
    .catch(() => undefined);
  return navigation;
}

/** Nothing is shown: a download, an answer without a body, or a failure. */
function withoutDocument(input: RenderInput, errorText: string): LoadedPage {
  const { request, tab, browserNotes } = input;
  const { response, failure } = tab.traffic;
  if (errorText === "net::ERR_ABORTED" && response !== undefined) {
    return {
      url: request.url,
      finalUrl: response.url,
      status: response.status,
      contentType: response.contentType,
      body: { kind: "none", bytes: null },
      via: "browser",
      isCached: false,
      notes: [...browserNotes, "The browser does not show this as a page: it is a download."],
    };
  }
  const failedUrl = failure?.url ?? request.url;
  throw navigationError(request.url, failedUrl, errorText, tab.proxy.refusals);
}

/** @throws AppError when what is shown is the browser's own page about a failure, or the guard's */
function assertArrived({ request, tab, bounds }: RenderInput): void {
  const { traffic, proxy } = tab;
  if (traffic.isLost) {
    const count = bounds.navigationsMax;
    throw new AppError("limit", `${request.url} went on to more than ${count} pages by itself.`);
  }
  const { response, failure } = traffic;
  if (failure !== undefined && failure.errorText !== "net::ERR_ABORTED" && !traffic.isShown) {
    throw navigationError(request.url, failure.url, failure.errorText, proxy.refusals);
  }
  if (response?.status !== 403) return;
  const refusal = refusalOf(response.url, proxy.refusals);
  if (refusal !== undefined) throw refusedError(request.url, response.url, refusal);
}

async function takeSnapshot(input: RenderInput, world: PageWorld): Promise<PageSnapshot> {
  const { bounds, request, tab } = input;
  const script = snapshotScript(bounds.htmlCharsMax);
  for (let round = 0; round < snapshotTriesMax && !tab.isOver; round++) {
    const snapshot = await world.ask<PageSnapshot>(script, bounds.answerMsMax);
    if (snapshot !== undefined) return snapshot;
    assertArrived(input);
    // It computes, or it was replaced; then there is nothing to stop.
    await world.stopScripts();
  }
  throw new AppError(
    "limit",
    `${request.url} could not be read: its scripts keep the browser busy. Try without wait_ms.`,
  );
}

function describePage(
  input: RenderInput,
  snapshot: PageSnapshot,
  outcome: SettleOutcome,
): LoadedPage {
  const { request, tab } = input;
  const { response } = tab.traffic;
  const status = response?.status ?? 200;
  const contentType = response?.contentType ?? "text/html";
  const isText = snapshot.isHtml || /^text\/|[/+](?:json|xml)$|javascript$/.test(contentType);
  const isPdf = contentType === "application/pdf";
  return {
    url: request.url,
    finalUrl: snapshot.url,
    status,
    contentType,
    body: isText && !isPdf ? { kind: "text", text: snapshot.text } : { kind: "none", bytes: null },
    via: "browser",
    isCached: false,
    notes: renderNotes(input, snapshot, outcome),
  };
}
