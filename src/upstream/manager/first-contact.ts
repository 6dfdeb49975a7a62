import type { Timer } from "../../base/cancellation.ts";
import {
  upstreamListWaitMs,
  upstreamListWaitMsMax,
  upstreamTrialLookMs,
  upstreamTrialMsMax,
} from "../../base/upstream-limits.ts";
import type { LaunchTrials, TrialClaim } from "../cache/launch-trials.ts";
import type { ConnectionTime } from "./connection-parts.ts";

export interface FirstContactParts {
  readonly trials: LaunchTrials;
  readonly time: ConnectionTime;
  /** Reads a catalogue that another process may have cached meanwhile; true when there is one. Never rejects. */
  readonly look: () => Promise<boolean>;
  /** Starts the server. */
  readonly start: () => void;
  readonly onChange: () => void;
}

/**
 * The time until the catalogue of a new server is known: decides which process starts it, and whether lists wait for
 * that (CN1, CN3). While another process of this user starts the same launch, this one does not: it reads the result,
 * so ten clients that start at once cause one start.
 */
export class FirstContact {
  readonly #parts: FirstContactParts;
  readonly #identity: string;
  /** Undefined until the trial was claimed. */
  #claim: TrialClaim | undefined;
  #isOver = false;
  /** This process's start has used the time that lists allow. */
  #hasHadItsTime = false;
  /** Lists have waited for the longest allowed time. */
  #isLate = false;
  #relyUntil = 0;
  #cap: Timer | undefined;
  #begun: Timer | undefined;
  #next: Timer | undefined;

  constructor(identity: string, parts: FirstContactParts) {
    this.#identity = identity;
    this.#parts = parts;
  }

  /** Whether lists wait for it: for a bounded time, and not after a trial that failed before. */
  get holdsLists(): boolean {
    if (this.#isOver || this.#isLate || this.isHopeless) return false;
    // Another process may be further than this one.
    return !this.#hasHadItsTime || this.#next !== undefined;
  }

  /** An earlier run tried it without an answer, so nothing waits for it. */
  get isHopeless(): boolean {
    return this.#claim === "tried";
  }

  /** Decides which process tries it. Never rejects. */
  async claim(): Promise<TrialClaim> {
    const claim = await this.#parts.trials.claim(this.#identity);
    this.#claim = claim;
    if (this.#isOver) return claim;
    this.#relyUntil = this.#parts.time.now() + upstreamTrialMsMax;
    this.#cap ??= this.#parts.time.after(upstreamListWaitMsMax, () => {
      this.#isLate = true;
      this.#parts.onChange();
    });
    return claim;
  }

  /**
   * Makes sure that the server is started: by this process, unless another is doing so. @param isEager always start it
   * in this process too
   */
  begin(isEager: boolean): void {
    if (this.#isOver) return;
    if (this.#claim === "others") this.#next ??= this.#lookLater();
    if (this.#claim !== "others" || isEager) this.#parts.start();
  }

  /** Its process runs, or its address was contacted: the time that lists allow begins. */
  onBegun(): void {
    if (this.#isOver || this.#begun !== undefined) return;
    this.#begun = this.#parts.time.after(upstreamListWaitMs, () => {
      this.#hasHadItsTime = true;
      this.#parts.onChange();
    });
  }

  /** Its catalogue is known and cached. Never rejects. */
  async onHeard(): Promise<void> {
    if (this.#end()) await this.#parts.trials.succeed(this.#identity);
  }

  /** This process's start has failed. */
  async onFailed(): Promise<void> {
    if (!this.#isOver && this.#claim === "ours") await this.#parts.trials.fail(this.#identity);
  }

  /** The server must no longer be used, or this process ends. */
  async leave(): Promise<void> {
    if (this.#end() && this.#claim === "ours") await this.#parts.trials.leave(this.#identity);
  }

  #lookLater(): Timer {
    return this.#parts.time.after(upstreamTrialLookMs, () => void this.#lookNow());
  }

  /** Repeats until the catalogue is known, no other process tries the server, or that takes too long. */
  async #lookNow(): Promise<void> {
    if (await this.#parts.look()) return void this.#end();
    const claim = await this.#parts.trials.claim(this.#identity);
    if (this.#isOver) return;
    // Also checks this process's clock: the clock of the mark may be set back.
    if (claim === "others" && this.#parts.time.now() < this.#relyUntil) {
      this.#next = this.#lookLater();
      return;
    }
    // The other process may have cached a catalogue between the two checks.
    if (claim === "ours" && (await this.#parts.look())) return this.onHeard();
    this.#next = undefined;
    // Failures elsewhere say nothing about this process: lists wait for its start as they did for the other.
    this.#claim = claim === "ours" ? "ours" : "slow";
    this.#parts.start();
    this.#parts.onChange();
  }

  /** Ends the contact; false when it was over already. */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    for (const timer of [this.#cap, this.#begun, this.#next]) timer?.stop();
    return true;
  }
}
