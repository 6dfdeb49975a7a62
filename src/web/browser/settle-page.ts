import { AppError } from "../../base/errors.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import { isInertSource, type PageLook, lookScript } from "./look-script.ts";
import type { PageWorld } from "./page-world.ts";
import type { Tab } from "./tab.ts";

/** How the wait for a page ended. */
export type SettleOutcome =
  | { readonly kind: "settled" }
  /** It still changed, or still loaded, when there was no more time. */
  | { readonly kind: "capped" };

/** A document that came late has this long to fill itself, in ms, though the time for settling is over. */
const lateDocumentMs = 2_000;
/** A tree without script is looked at in full once; larger ones than this are waited for as usual. */
const inertCharsMax = 2_000_000;

export interface SettleInput {
  readonly tab: Tab;
  readonly world: PageWorld;
  readonly bounds: BrowserBounds;
  /** Called when the page is there and has to be waited for: time for other work. May be called again. */
  readonly onWaiting: () => void;
  /** When the page was asked for, on the clock of `performance.now()`. */
  readonly startedAt: number;
}

/** Waits until the page in `tab` looks settled, or until there is no more time for it. */
export async function settlePage(input: SettleInput): Promise<SettleOutcome> {
  const { tab, world } = input;
  const inert = new InertCheck(tab);
  for (;;) {
    const deadline = settleDeadline(input);
    const leftMs = deadline - performance.now();
    if (leftMs <= 0 || tab.isOver) return { kind: "capped" };
    if (!tab.traffic.isShown || tab.traffic.isLost) return { kind: "settled" };
    world.prepare();
    if (!tab.traffic.isDomReady) {
      await Promise.race([tab.traffic.nextChange, Bun.sleep(Math.min(settleTimes.lookMs, leftMs))]);
      continue;
    }
    const look = await world.ask<PageLook>(lookScript, leftMs);
    // It computes: it would not let itself be written down either.
    if (look === undefined && performance.now() >= deadline) await world.stopScripts();
    if (look !== undefined && (await isDone(input, look, inert))) return { kind: "settled" };
    input.onWaiting();
    await Promise.race([tab.traffic.nextChange, Bun.sleep(nextLookMs(look))]);
  }
}

/** At the moment in which the text will have been quiet for long enough, when that is soon. */
function nextLookMs(look: PageLook | undefined): number {
  const leftMs = settleTimes.domQuietMs - (look?.quietMs ?? 0);
  return leftMs > 0 ? Math.min(leftMs, settleTimes.lookMs) : settleTimes.lookMs;
}

function settleDeadline({ tab, bounds, startedAt }: SettleInput): number {
  const late = (tab.traffic.committedAt ?? startedAt) + lateDocumentMs;
  const { settleMsMax, navigationMsMax } = bounds;
  return Math.max(startedAt + settleMsMax, Math.min(late, startedAt + navigationMsMax));
}

async function isDone(
  { tab, startedAt }: SettleInput,
  look: PageLook,
  inert: InertCheck,
): Promise<boolean> {
  const { traffic } = tab;
  const now = performance.now();
  return isSettled({
    // A slow server takes nothing from the time that its page has for itself.
    elapsedMs: now - (traffic.committedAt ?? startedAt),
    textChars: look.textChars,
    textQuietMs: look.quietMs,
    isNetQuiet: traffic.isQuiet(now, settleTimes.netQuietMs, settleTimes.requestYoungMsMax),
    isNavigating: traffic.isNavigating,
    isInert: look.isComplete && look.isInert && (await inert.isInert()),
  });
}

/** Whether the server's document can have run anything, determined once for each document. */
class InertCheck {
  readonly #tab: Tab;
  #documents = -1;
  #isInert = false;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  async isInert(): Promise<boolean> {
    const { session, traffic } = this.#tab;
    const { documents, documentRequest, response } = traffic;
    if (this.#documents === documents) return this.#isInert;
    this.#documents = documents;
    this.#isInert = false;
    if (documentRequest === undefined || response === undefined) return false;
    // Images, PDF and plain text are shown by the browser's own means.
    if (!/html|xml/.test(response.contentType)) return (this.#isInert = true);
    if (response.contentType !== "text/html") return false;
    try {
      const source = await session.send("Network.getResponseBody", { requestId: documentRequest });
      this.#isInert =
        !source.base64Encoded &&
        source.body.length <= inertCharsMax &&
        isInertSource(source.body) &&
        traffic.documents === documents;
    } catch {
      // It was not kept: then nothing is known of it.
    }
    return this.#isInert;
  }
}

/**
 * Waits for the first document.
 * @throws AppError `limit` when the server does not answer in time
 */
export async function awaitDocument(
  { tab, bounds, startedAt }: SettleInput,
  hasFailed: () => boolean,
  url: string,
): Promise<void> {
  const { traffic } = tab;
  while (traffic.committedAt === undefined && !hasFailed() && !tab.isOver) {
    const leftMs = startedAt + bounds.navigationMsMax - performance.now();
    if (leftMs <= 0) {
      const seconds = bounds.navigationMsMax / 1000;
      throw new AppError("limit", `${url} did not answer within ${seconds} s. Try again later.`);
    }
    await Promise.race([traffic.nextChange, Bun.sleep(Math.min(leftMs, settleTimes.lookMs))]);
  }
}

/** Rules for when a page is settled (docs/browser.md#when-a-page-counts-as-there). Times in ms. */
export const settleTimes = {
  /** How often the page is looked at. */
  lookMs: 40,
  /** The text has to stay as it is for this long. */
  domQuietMs: 300,
  /** The network has to be silent for this long. */
  netQuietMs: 150,
  /** An older request is a long poll, which never ends. */
  requestYoungMsMax: 2_000,
  /** From then on the network is ignored: a page that polls is never silent. */
  chattyAfterMs: 2_000,
  /** Fewer characters than this are perhaps a frame that is about to be filled. */
  enoughChars: 120,
  /** From then on a page may simply be short. */
  enoughAfterMs: 1_500,
} as const;

export interface SettleState {
  /** Since the document came. */
  readonly elapsedMs: number;
  readonly textChars: number;
  /** For how long the text has not changed. */
  readonly textQuietMs: number;
  /** Nothing young is under way, and nothing began or ended for a while. */
  readonly isNetQuiet: boolean;
  /** Another document is about to take the place of this one. */
  readonly isNavigating: boolean;
  /** All is loaded, and nothing is there that could change the page. */
  readonly isInert: boolean;
}

export function isSettled(state: SettleState): boolean {
  if (state.isNavigating) return false;
  if (state.isInert) return true;
  const isDomQuiet = state.textQuietMs >= settleTimes.domQuietMs;
  const isChatty = state.elapsedMs >= settleTimes.chattyAfterMs;
  const isEnough =
    state.textChars >= settleTimes.enoughChars || state.elapsedMs >= settleTimes.enoughAfterMs;
  return isDomQuiet && (state.isNetQuiet || isChatty) && isEnough;
}
