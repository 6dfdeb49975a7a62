import { appendFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";

import { startTimer } from "../../../base/cancellation.ts";
import { messageOf } from "../../../base/errors.ts";
import {
  hookLogBytesMax,
  hookLogOutputCharsMax,
  hooksRunningMax,
  hooksWaitingMax,
  hookWaitingCharsMax,
} from "../../../base/limits.ts";
import { Turns } from "../../../base/turns.ts";
import { escapeJson } from "../../../base/unsafe-characters.ts";
import { redact } from "../audit/audit-log.ts";
import { endWithoutRun, type Hook, type HookEnd, shortOutput } from "./hook.ts";
import { hookLogName, type SessionFolders } from "./session-folder.ts";

/** One line of JSON for each run of a hook, in a private file for each session. It does not have the payload. */
export class HookLog {
  readonly #folders: SessionFolders;
  readonly #warn: (message: string) => void;
  readonly #secrets: readonly string[];
  /** Lines have an order, and one write at a time keeps the file within its bound. */
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;

  /** @param secrets texts that are not written down */
  constructor(
    folders: SessionFolders,
    warn: (message: string) => void,
    secrets: readonly string[],
  ) {
    this.#folders = folders;
    this.#secrets = secrets;
    this.#warn = warn;
  }

  write(sessionId: string, hook: Hook, end: HookEnd): void {
    const { eventName, name, scope } = hook;
    const { state, how, durationMs, output } = end;
    const at = new Date().toISOString();
    const shown = redact(shortOutput(output, hookLogOutputCharsMax), this.#secrets);
    const record = {
      at,
      event: eventName,
      hook: name,
      scope,
      state,
      how,
      durationMs,
      output: shown,
    };
    const line = `${escapeJson(JSON.stringify(record))}\n`;
    this.#writing = this.#writing.then(() => this.#append(sessionId, line));
  }

  /** When all is written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  async #append(sessionId: string, line: string): Promise<void> {
    try {
      const file = join(await this.#folders.of(sessionId), hookLogName);
      const size = (await stat(file).catch(() => undefined))?.size ?? 0;
      if (size + line.length > hookLogBytesMax) await rename(file, `${file}.1`);
      await appendFile(file, line, { mode: 0o600 });
    } catch (error) {
      if (!this.#hasFailed) this.#warn(`The log of hooks cannot be written: ${messageOf(error)}.`);
      this.#hasFailed = true;
    }
  }
}

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
   * The same for a hook that no call waits for.
   * @param chars the characters kept for it meanwhile
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

  /** Resolves when nothing is open any more, including writes begun meanwhile. */
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
