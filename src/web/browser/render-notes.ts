import type { RenderPageRequest } from "../pages/loaded-page.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import type { SettleOutcome } from "./settle-page.ts";
import type { PageSnapshot } from "./snapshot-script.ts";
import type { Tab } from "./tab.ts";

export interface RenderInput {
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
export function renderNotes(
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
