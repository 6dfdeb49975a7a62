import { messageOf } from "../base/errors.ts";
import type { Family } from "../process/family.ts";
import { readProcStat } from "../process/proc-table.ts";
import type { Ledger } from "../store/ledger.ts";
import { describeInstance, endLeftovers } from "./leftovers.ts";

/** A family is written down when it has lived this long: most never are. */
const writeAfterMs = 250;

/**
 * Keeps the ledger of this run up to date, off the path of any call. A store that cannot be used is
 * said once; commands run without a ledger then.
 */
export class FamilyLedger {
  readonly #instanceId: string;
  readonly #open: () => Ledger;
  readonly #warn: (message: string) => void;
  readonly #waiting = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #written = new Set<number>();
  #ledger: Ledger | undefined;
  #isBroken = false;

  constructor(instanceId: string, open: () => Ledger, warn: (message: string) => void) {
    this.#instanceId = instanceId;
    this.#open = open;
    this.#warn = warn;
  }

  /** Ends what earlier runs left behind. */
  async endLeftovers(): Promise<void> {
    const ledger = this.#use((opened) => opened);
    try {
      if (ledger !== undefined) await endLeftovers(ledger);
      this.#closeIdle();
    } catch (error) {
      this.#fail(error);
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
    this.#use((ledger) => ledger.removeGroup(this.#instanceId, groupId));
  };

  /** Nothing of this run is left, unless families are still written down. */
  close(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    if (this.#ledger === undefined) return;
    if (this.#written.size === 0) this.#use((ledger) => ledger.removeInstance(this.#instanceId));
    this.#ledger.close();
  }

  /** A server that runs no long command need not hold the store open (0.5 MB). */
  #closeIdle(): void {
    if (this.#written.size > 0) return;
    this.#ledger?.close();
    this.#ledger = undefined;
  }

  #write(groupId: number): void {
    this.#waiting.delete(groupId);
    // Read here and not at the start: the file of a process that is starting is slow to read.
    const startTicks = readProcStat(groupId)?.startTicks ?? 0;
    this.#use((ledger) => {
      if (this.#written.size === 0) ledger.addInstance(describeInstance(this.#instanceId));
      ledger.addGroup(this.#instanceId, { groupId, startTicks });
      this.#written.add(groupId);
    });
  }

  #use<T>(act: (ledger: Ledger) => T): T | undefined {
    if (this.#isBroken) return undefined;
    try {
      this.#ledger ??= this.#open();
      return act(this.#ledger);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #fail(error: unknown): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#warn(
      `${messageOf(error)} Commands run all the same; only the guardian watches over them.`,
    );
  }
}
