import { startTimer, type Timer } from "../../base/cancellation.ts";
import { messageOf } from "../../base/errors.ts";
import type { Ledger } from "../../state/store/tables.ts";
import type { Family } from "../process/orphanage.ts";
import { readProcStat } from "../process/processes.ts";
import { describeInstance, endLeftovers } from "./leftovers.ts";

/** A family is written down this long after it was reported: most never are. */
const writeAfterMs = 250;
/** Delay before a write is retried while another process holds the store; it grows each time. */
const retryMs = { first: 20, max: 1_000 };
/** Processes that start together take turns for a moment; a store that is held for longer than this is said to be. */
const busyMsMax = 60_000;

export interface FamilyLedgerParts {
  readonly instanceId: string;
  /** @throws when the store cannot be opened */
  readonly open: () => Ledger;
  /** True for a failure that passes: another process has the store just now. */
  readonly isBusy: (failure: unknown) => boolean;
  readonly warn: (message: string) => void;
}

type Act = (ledger: Ledger) => void;

/**
 * Keeps the ledger of this run up to date, off the path of any call. A store that another process is writing to is tried
 * again later; one that cannot be used is said once, and commands run without a ledger then.
 */
export class FamilyLedger implements Disposable {
  readonly #parts: FamilyLedgerParts;
  readonly #waiting = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #written = new Set<number>();
  /** Pending writes, in order. */
  readonly #acts: Act[] = [];
  #retry: Timer | undefined;
  #ledger: Ledger | undefined;
  #isBroken = false;
  #isClosed = false;

  constructor(parts: FamilyLedgerParts) {
    this.#parts = parts;
  }

  /** Ends processes that earlier runs left behind. */
  async endLeftovers(): Promise<void> {
    const pause = new Pause(this.#parts.isBusy);
    while (!this.#isBroken && !this.#isClosed) {
      try {
        this.#ledger ??= this.#parts.open();
        await endLeftovers(this.#ledger);
        return this.#closeIdle();
      } catch (error) {
        if (this.#isClosed) return;
        const waitMs = pause.next(error);
        if (waitMs === undefined) return this.#fail(error);
        await new Promise<void>((resolve) => startTimer(waitMs, resolve));
      }
    }
  }

  readonly onFamily = ({ groupId }: Family, isLive: boolean): void => {
    if (isLive) {
      const write = (): void => this.#write(groupId);
      this.#waiting.set(groupId, setTimeout(write, writeAfterMs).unref());
      return;
    }
    clearTimeout(this.#waiting.get(groupId));
    this.#waiting.delete(groupId);
    if (!this.#written.delete(groupId)) return;
    this.#perform((ledger) => ledger.removeGroup(this.#parts.instanceId, groupId));
  };

  /** Nothing of this run is left, unless families are still written down. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#retry?.stop();
    if (this.#ledger === undefined) return;
    if (this.#written.size === 0) {
      this.#acts.push((ledger) => ledger.removeInstance(this.#parts.instanceId));
    }
    // The next run finds and forgets entries that cannot be removed now.
    this.#performAll(new Pause(this.#parts.isBusy));
    this.#ledger[Symbol.dispose]();
  }

  /** A server that runs no long command need not hold the store open (0.5 MB). */
  #closeIdle(): void {
    if (this.#written.size > 0 || this.#acts.length > 0) return;
    this.#ledger?.[Symbol.dispose]();
    this.#ledger = undefined;
  }

  #write(groupId: number): void {
    this.#waiting.delete(groupId);
    // Read here and not at the start: the file of a process that is starting is slow to read.
    const startTicks = readProcStat(groupId)?.startTicks ?? 0;
    const isFirst = this.#written.size === 0;
    this.#written.add(groupId);
    this.#perform((ledger) => {
      if (isFirst) ledger.addInstance(describeInstance(this.#parts.instanceId));
      ledger.addGroup(this.#parts.instanceId, { groupId, startTicks });
    });
  }

  #perform(act: Act): void {
    if (this.#isBroken || this.#isClosed) return;
    this.#acts.push(act);
    if (this.#retry === undefined) this.#performAll(new Pause(this.#parts.isBusy));
  }

  #performAll(pause: Pause): void {
    this.#retry = undefined;
    try {
      for (let act = this.#acts[0]; act !== undefined; act = this.#acts[0]) {
        this.#ledger ??= this.#parts.open();
        act(this.#ledger);
        this.#acts.shift();
      }
    } catch (error) {
      const waitMs = pause.next(error);
      if (waitMs === undefined) this.#fail(error);
      else if (!this.#isClosed) {
        this.#retry = startTimer(waitMs, () => this.#performAll(pause));
      }
    }
  }

  #fail(error: unknown): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#acts.length = 0;
    this.#parts.warn(
      `${messageOf(error)} Commands still run, but only the guardian process watches over them.`,
    );
  }
}

/** How long to leave the store to others, one time after the other. */
class Pause {
  readonly #isBusy: FamilyLedgerParts["isBusy"];
  readonly #since = performance.now();
  #ms = retryMs.first;

  constructor(isBusy: FamilyLedgerParts["isBusy"]) {
    this.#isBusy = isBusy;
  }

  /** Undefined when `failure` will not pass, or has not for too long. */
  next(failure: unknown): number | undefined {
    if (!this.#isBusy(failure) || performance.now() - this.#since > busyMsMax) return undefined;
    const waitMs = this.#ms * (0.5 + Math.random());
    this.#ms = Math.min(2 * this.#ms, retryMs.max);
    return waitMs;
  }
}
