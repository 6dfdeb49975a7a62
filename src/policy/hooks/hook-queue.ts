import { hooksRunningMax, hooksWaitingMax, hookWaitingCharsMax } from "../../base/limits.ts";
import { Turns } from "../../base/turns.ts";
import { endWithoutRun, type HookEnd } from "./hook-end.ts";

/** Bounds how many hooks run and wait at a time: those that calls wait for, and the others apart from them. */
export class HookQueue {
  readonly #waited = new Turns(hooksRunningMax);
  readonly #beside = new Turns(hooksRunningMax);
  readonly #open = new Set<Promise<unknown>>();
  #waitingRuns = 0;
  #waitingChars = 0;

  /** Runs `start` when it is its turn. */
  async runWaited(signal: AbortSignal, start: () => Promise<HookEnd>): Promise<HookEnd> {
    return runInTurn(this.#waited, signal, start);
  }

  /**
   * The same for a hook that nobody waits for.
   * @param chars what is kept for it meanwhile
   * @returns undefined when too many wait already
   */
  async runBeside(
    signal: AbortSignal,
    chars: number,
    start: () => Promise<HookEnd>,
  ): Promise<HookEnd | undefined> {
    if (this.#waitingRuns >= hooksWaitingMax) return undefined;
    if (this.#waitingChars > 0 && this.#waitingChars + chars > hookWaitingCharsMax)
      return undefined;
    this.#waitingRuns++;
    this.#waitingChars += chars;
    try {
      return await runInTurn(this.#beside, signal, start);
    } finally {
      this.#waitingRuns--;
      this.#waitingChars -= chars;
    }
  }

  /** `settled` waits for it. It must not reject. */
  track(work: Promise<unknown>): void {
    this.#open.add(work);
    void work.finally(() => this.#open.delete(work));
  }

  /** When nothing is open any more, what was begun meanwhile included. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }
}

async function runInTurn(
  turns: Turns,
  signal: AbortSignal,
  start: () => Promise<HookEnd>,
): Promise<HookEnd> {
  try {
    using _turn = await turns.take(signal);
    return await start();
  } catch {
    return endWithoutRun("cancelled", "was not run any more");
  }
}
