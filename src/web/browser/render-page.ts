import { AppError } from "../../base/errors.ts";
import type { GuardProxy } from "../guard/network-guard.ts";
import type { LoadedPage, RenderPageRequest } from "../pages/page-url.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import { PageWorld } from "./page-world.ts";
import { awaitDocument, settlePage, type SettleInput, type SettleOutcome } from "./settle-page.ts";
import { type PageSnapshot, snapshotScript } from "./snapshot-script.ts";
import type { Tab } from "./tab.ts";

/** A page of 10 MB has 10 s more; writing it down takes 3 on a busy machine. */
const snapshotMsPerByte = 1 / 1000;

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
  const settle: SettleInput = { tab, world, bounds, startedAt, onWaiting: input.onWaiting };
  await awaitDocument(settle, () => navigation.failure !== undefined, request.url);
  if (!tab.traffic.isShown) return withoutDocument(input, navigation.failure);
  const outcome = await settlePage(settle);
  if (request.waitMs > 0) await Bun.sleep(request.waitMs);
  // It may have sent itself to where nothing is.
  if (!tab.traffic.isShown) return withoutDocument(input, undefined);
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
    // The tab is gone: callers that wait for it are notified.
    .catch(() => undefined);
  return navigation;
}

/** Responses that are not pages, by the browser's word for them. */
const notShown: Readonly<Record<string, string>> = {
  "net::ERR_ABORTED": "The browser does not show this as a page: it is a download, or empty.",
  "net::ERR_HTTP_RESPONSE_CODE_FAILURE": "The response has a status but no body.",
};

/** Nothing is shown: a download, an answer without a body, or a failure. */
function withoutDocument(input: RenderInput, said: string | undefined): LoadedPage {
  const { request, tab, browserNotes } = input;
  const { response, failure, isLost } = tab.traffic;
  if (isLost) throw lostError(input);
  const errorText = said ?? failure?.errorText ?? "net::ERR_FAILED";
  const note = notShown[errorText];
  if (note !== undefined && response !== undefined) {
    return {
      url: request.url,
      finalUrl: response.url,
      status: response.status,
      contentType: response.contentType,
      body: { kind: "none", bytes: null },
      via: "browser",
      isCached: false,
      notes: [...browserNotes, note],
    };
  }
  const failedUrl = failure?.url ?? request.url;
  throw navigationError(request.url, failedUrl, errorText, tab.refusals);
}

function lostError({ request, bounds }: RenderInput): AppError {
  const count = bounds.navigationsMax;
  return new AppError("limit", `${request.url} moved on to more than ${count} pages by itself.`);
}

/** @throws AppError when the tab shows the guard's page, or the last of too many pages */
function assertArrived(input: RenderInput): void {
  const { request, tab } = input;
  const { traffic } = tab;
  if (traffic.isLost) throw lostError(input);
  const { response } = traffic;
  if (response?.status !== 403) return;
  const refusal = refusalOf(response.url, tab.refusals);
  if (refusal !== undefined) throw refusedError(request.url, response.url, refusal);
}

async function takeSnapshot(input: RenderInput, world: PageWorld): Promise<PageSnapshot> {
  const { bounds, request, tab } = input;
  const script = snapshotScript(bounds.htmlCharsMax);
  const msMax = bounds.answerMsMax + tab.traffic.documentBytes * snapshotMsPerByte;
  for (let round = 0; round < snapshotTriesMax && !tab.isOver; round++) {
    const snapshot = await world.ask<PageSnapshot>(script, msMax);
    if (snapshot !== undefined) return snapshot;
    assertArrived(input);
    // It computes, or it was replaced; then there is nothing to stop.
    await world.stopScripts();
  }
  throw new AppError(
    "limit",
    `${request.url} could not be read: its scripts keep the browser busy. A plain fetch gives all that is available.`,
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

type Refusal = GuardProxy["refusals"][number];

/** Why no document came, in words for the reader. */
export function navigationError(
  url: string,
  failedUrl: string,
  errorText: string,
  refusals: readonly Refusal[],
): AppError {
  const refusal = refusalOf(failedUrl, refusals);
  if (refusal !== undefined) return refusedError(url, failedUrl, refusal);
  const code = errorText.replace(/^net::ERR_/, "");
  const where = failedUrl === url ? url : `${url}, which led to ${failedUrl},`;
  if (code === "TOO_MANY_REDIRECTS") {
    return new AppError("limit", `${where} redirects endlessly.`);
  }
  if (code.startsWith("CERT_") || code.startsWith("SSL_")) {
    return new AppError(
      "system",
      `${where} has no trusted certificate (${code}), so it was not read.`,
    );
  }
  return new AppError("system", `The browser could not load ${where} (${code}).`);
}

/** An address on the way that must not be reached. */
function refusedError(url: string, failedUrl: string, refusal: Refusal): AppError {
  const way = sameHost(url, refusal.host) ? "" : ` ${url} led to ${failedUrl}.`;
  return new AppError("refused", `${refusal.reason}${way}`);
}

/** The newest refusal of the host of `url`. */
export function refusalOf(url: string, refusals: readonly Refusal[]): Refusal | undefined {
  return refusals.findLast(({ host }) => sameHost(url, host));
}

function sameHost(url: string, host: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? "";
  return plainHost(hostname) === plainHost(host);
}

/** Without brackets, port and the dot at the end. */
function plainHost(host: string): string {
  const lower = host.toLowerCase();
  const inBrackets = /^\[([^\]]*)\]/.exec(lower)?.[1];
  if (inBrackets !== undefined) return inBrackets;
  const name = lower.split(":").length === 2 ? (lower.split(":")[0] ?? "") : lower;
  return name.replace(/\.$/, "");
}

interface RenderInput {
  readonly request: RenderPageRequest;
  readonly tab: Tab;
  readonly bounds: BrowserBounds;
  /** The browser's own notes. */
  readonly browserNotes: readonly string[];
  /** See `SettleInput`. */
  readonly onWaiting: () => void;
}

/** Hosts that are named; a page may ask for hundreds. */
const hostsNamedMax = 3;

/** The facts that a page's reader must know about how it was read. */
function renderNotes(
  { tab, browserNotes, bounds }: RenderInput,
  snapshot: PageSnapshot,
  outcome: SettleOutcome,
): string[] {
  const notes = [...browserNotes];
  const seconds = bounds.settleMsMax / 1000;
  const { isCut } = tab.traffic;
  if (outcome.kind === "capped" && !isCut) {
    notes.push(
      `The page was still changing or loading after ${seconds} s and was read in that state.`,
    );
  }
  if (isCut || snapshot.isCut) {
    const megabytes = bounds.htmlCharsMax / (1024 * 1024);
    notes.push(`The page is too large: at most its first ${megabytes} MB were read.`);
  }
  const hosts = [...new Set(tab.refusals.map(({ host }) => host))];
  if (hosts.length > 0) {
    const named = hosts.slice(0, hostsNamedMax).join(", ");
    const more = hosts.length > hostsNamedMax ? ` and ${hosts.length - hostsNamedMax} more` : "";
    notes.push(
      `The page requested addresses that scorpiox-code refuses to connect to: ${named}${more}.`,
    );
  }
  return notes;
}
