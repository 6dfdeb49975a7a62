import { hooksRunningMax, hooksWaitingMax, hookWaitingCharsMax } from "../../../base/limits.ts";
import { startTimer } from "../../../base/timer.ts";
import { Turns } from "../../../base/turns.ts";
import { endWithoutRun, type HookEnd } from "./hook-end.ts";

/** Bounds how many hooks run and wait at a time: those that calls wait for, and the others apart from them. */
export class HookQueue {
  readonly #waited = new Turns(hooksRunningMax);
  readonly #beside = new Turns(hooksRunningMax);
  /** Hooks of ends: when the server ends there is no time to wait until others that were ended are gone. */
  readonly #last = new Turns(hooksRunningMax);
  readonly #open = new Set<Promise<unknown>>();
  #waitingRuns = 0;
  #waitingChars = 0;

  /**
   * Runs `start` when it is its turn.
   * @param waitMsMax it is not run when its turn does not come within this
   */
  async runWaited(
    signal: AbortSignal,
    waitMsMax: number,
    start: () => Promise<HookEnd>,
  ): Promise<HookEnd> {
    if (waitMsMax === Infinity) return runInTurn(this.#waited, signal, start);
    if (waitMsMax <= 0) return outOfTime;
    const patience = new AbortController();
    const timer = startTimer(waitMsMax, () => patience.abort());
    const isWanted = AbortSignal.any([signal, patience.signal]);
    const end = await runInTurn(this.#waited, isWanted, () => {
      timer.stop();
      return start();
    });
    timer.stop();
    return patience.signal.aborted ? outOfTime : end;
  }

  /**
   * The same for a hook that nobody waits for.
   * @param chars what is kept for it meanwhile
   * @returns undefined when too many wait already
   */
  async runBeside(
    signal: AbortSignal,
    { chars, isLast }: { readonly chars: number; readonly isLast: boolean },
    start: () => Promise<HookEnd>,
  ): Promise<HookEnd | undefined> {
    if (this.#waitingRuns >= hooksWaitingMax) return undefined;
    if (this.#waitingChars > 0 && this.#waitingChars + chars > hookWaitingCharsMax)
      return undefined;
    this.#waitingRuns++;
    this.#waitingChars += chars;
    try {
      return await runInTurn(isLast ? this.#last : this.#beside, signal, start);
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

const outOfTime = endWithoutRun(
  "timed_out",
  "was not run: hooks before it took all the time there is",
);

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
