import type { Orphanage } from "./orphanage.ts";

/** How often adopted processes are looked for. */
const lookMs = 1_000;

/**
 * Ends and reaps processes without a live parent at intervals, as long as there may be any: while commands are live, and until
 * a look finds nothing that was adopted. An idle server is not woken for it.
 */
export class StrayWatch implements Disposable {
  readonly #orphanage: Pick<Orphanage, "endStrays" | "hasAdopted">;
  readonly #isAnyLive: () => boolean;
  readonly #lookMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isLasting = false;
  #isClosed = false;

  /** @param isAnyLive whether a command is live */
  constructor(
    orphanage: Pick<Orphanage, "endStrays" | "hasAdopted">,
    isAnyLive: () => boolean,
    everyMs = lookMs,
  ) {
    this.#orphanage = orphanage;
    this.#isAnyLive = isAnyLive;
    this.#lookMs = everyMs;
  }

  /** A command starts, or a program of the user's has ended that may have left others. */
  begin(): void {
    if (this.#isClosed) return;
    this.#timer ??= setInterval(() => this.#look(), this.#lookMs).unref();
  }

  /** Something starts whose end is not known here, and that may leave orphans: from now on the watch goes on. */
  beginLasting(): void {
    this.#isLasting = true;
    this.begin();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#stop();
  }

  #look(): void {
    this.#orphanage.endStrays();
    if (this.#isLasting || this.#isAnyLive() || this.#orphanage.hasAdopted()) return;
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
