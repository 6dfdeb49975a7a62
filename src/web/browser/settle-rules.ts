/** Rules for when a page is settled: the combined wait of readdocs/notes.md section 2. Times in ms. */
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
