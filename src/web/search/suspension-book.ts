import { messageOf, systemCodeOf } from "../../base/errors.ts";
import { openStore } from "../../state/store/open-store.ts";
import { type EngineSuspension, EngineSuspensions } from "../../state/store/tables.ts";

/** The consequence of an answer, or of its absence, for asking that engine again. */
export type SuspensionVerdict =
  /** It answers: earlier failures are forgotten. */
  | { readonly kind: "healthy" }
  /** It was not heard out: nothing was learned. */
  | { readonly kind: "unknown" }
  /** Captcha, Cloudflare's challenge, a wall of JavaScript. */
  | { readonly kind: "challenge"; readonly reason: string }
  /** 401, 402, 403, a consent wall. */
  | { readonly kind: "denied"; readonly reason: string }
  /** 429 or a throttle code; undefined when it did not say for how long. */
  | { readonly kind: "throttled"; readonly reason: string; readonly waitMs: number | undefined }
  /** Timeout, network error, 5xx. */
  | { readonly kind: "fault"; readonly reason: string }
  | { readonly kind: "poisoned"; readonly reason: string };

/** Suspensions (ranking, "Suspension and circuit breaking"): the first one, and the limit of doubling. */
const challengeMs = { first: 3_600_000, max: 86_400_000 };
const deniedMs = { first: 180_000, max: 3_600_000 };
const faultMs = { first: 5_000, max: 120_000 };
const throttledMs = 180_000;
/** The pause that an engine may ask for: as it says, but neither zero nor forever. */
const waitMs = { min: 1_000, max: 3_600_000 };
const poisonedMs = 600_000;
/** No suspension lasts longer; one that does was written before the clock was set back. */
const suspensionMsMax = challengeMs.max;

/**
 * The suspension after `verdict`; undefined = none.
 * @param isProbe the engine's time was up and this was the one probe: its failure raises the number,
 * while failures of requests that were under way together are counted once
 */
export function nextSuspension(
  engine: string,
  present: EngineSuspension | undefined,
  verdict: SuspensionVerdict,
  { nowMs, isProbe }: { readonly nowMs: number; readonly isProbe: boolean },
): EngineSuspension | undefined {
  if (verdict.kind === "unknown") {
    return present === undefined || !isProbe ? present : { ...present, probeUntilMs: 0 };
  }
  // An answer to a question from before the suspension does not end it.
  if (verdict.kind === "healthy") return isProbe ? undefined : present;
  const counts = countsAfter(present, verdict, isProbe);
  const untilMs = nowMs + durationOf(verdict, counts);
  if (!isProbe && present !== undefined && present.untilMs >= untilMs) return present;
  const probeUntilMs = isProbe ? 0 : (present?.probeUntilMs ?? 0);
  return { engine, reason: verdict.reason, untilMs, probeUntilMs, ...counts };
}

type FailureCounts = Pick<EngineSuspension, "challenges" | "denials" | "faults">;
type Failure = Exclude<SuspensionVerdict, { kind: "healthy" | "unknown" }>;

function countsAfter(
  present: EngineSuspension | undefined,
  { kind }: Failure,
  isProbe: boolean,
): FailureCounts {
  const raise = (count = 0, isThis: boolean): number =>
    isThis && (isProbe || count === 0) ? count + 1 : count;
  return {
    challenges: raise(present?.challenges, kind === "challenge"),
    denials: raise(present?.denials, kind === "denied"),
    faults: raise(present?.faults, kind === "fault"),
  };
}

function durationOf(failure: Failure, counts: FailureCounts): number {
  switch (failure.kind) {
    case "challenge":
      return doubled(challengeMs, counts.challenges);
    case "denied":
      return doubled(deniedMs, counts.denials);
    case "fault":
      return doubled(faultMs, counts.faults);
    case "throttled":
      return Math.min(Math.max(failure.waitMs ?? throttledMs, waitMs.min), waitMs.max);
    case "poisoned":
      return poisonedMs;
  }
}

function doubled({ first, max }: { first: number; max: number }, count: number): number {
  return Math.min(first * 2 ** (count - 1), max);
}

/** How an engine may be asked now. */
export type EngineAvailability =
  | { readonly kind: "free" }
  /** Its time is up: the process that claims it asks it once, for all. */
  | { readonly kind: "due"; readonly reason: string }
  | { readonly kind: "suspended"; readonly leftMs: number; readonly reason: string };

export interface SuspensionBookOptions {
  readonly storePath: string;
  /** The wall clock, in ms. */
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** A search waits no longer than this for another process that writes. */
const storeBusyMsMax = 200;
/** After a write that failed the next one is tried so much later. */
const storePauseMs = 1_000;
/** A probe without a result after this time has died with its process: twice the time of a search. */
const probeMsMax = 12_000;

/**
 * The suspended engines, for all processes, in the store. An unusable store breaks no search: pending writes are kept
 * here until they are possible.
 */
export class SuspensionBook implements Disposable {
  readonly #options: SuspensionBookOptions;
  #store: EngineSuspensions | undefined;
  /** The writes that the store could not take; undefined = the suspension has ended. */
  readonly #unwritten = new Map<string, EngineSuspension | undefined>();
  /** When the store is written to again after a failure, on the clock of `performance.now()`. */
  #writesFrom = 0;
  #isWarned = false;

  constructor(options: SuspensionBookOptions) {
    this.#options = options;
  }

  /** The availability of every engine that is not free, at this moment. */
  suspended(): ReadonlyMap<string, EngineAvailability> {
    const nowMs = this.#options.now();
    const rows = new Map(this.#rows().map((row) => [row.engine, row]));
    const suspended = [...rows.values()].map(
      (row) => [row.engine, availabilityOf(row, nowMs)] as const,
    );
    return new Map(suspended);
  }

  /** True when the caller is the one to probe an engine that is due. */
  claimProbe(engine: string): boolean {
    const nowMs = this.#options.now();
    const row = this.#rows().find((candidate) => candidate.engine === engine);
    if (row === undefined || availabilityOf(row, nowMs).kind !== "due") return false;
    const probeUntilMs = nowMs + probeMsMax;
    if (!this.#unwritten.has(engine)) {
      return this.#written((store) => store.claimProbe(row, probeUntilMs)) ?? false;
    }
    this.#unwritten.set(engine, { ...row, probeUntilMs });
    return true;
  }

  /** Records the outcome of asking `engine`. */
  record(engine: string, verdict: SuspensionVerdict, isProbe: boolean): void {
    if (!isProbe && (verdict.kind === "healthy" || verdict.kind === "unknown")) return;
    const circumstances = { nowMs: this.#options.now(), isProbe };
    const isWritten = this.#written((store) => {
      store.update(engine, (stored) => {
        const present = this.#unwritten.has(engine) ? this.#unwritten.get(engine) : stored;
        return nextSuspension(engine, present, verdict, circumstances);
      });
      return true;
    });
    if (isWritten === true) this.#unwritten.delete(engine);
    else {
      const present = this.#unwritten.get(engine);
      this.#unwritten.set(engine, nextSuspension(engine, present, verdict, circumstances));
    }
  }

  /** Ends all suspensions, for all processes. False when the store cannot be used now, which may still have some. */
  forget(): boolean {
    this.#unwritten.clear();
    const isCleared = this.#written((store) => {
      store.clear();
      return true;
    });
    return isCleared === true;
  }

  [Symbol.dispose](): void {
    this.#drop();
  }

  /** The next use opens it again, which sets a damaged file aside. */
  #drop(): void {
    try {
      this.#store?.[Symbol.dispose]();
    } catch (error) {
      this.#complain(error);
    }
    this.#store = undefined;
  }

  #rows(): EngineSuspension[] {
    const stored = this.#tried((store) => store.all()) ?? [];
    const known = stored.filter(({ engine }) => !this.#unwritten.has(engine));
    return [...known, ...[...this.#unwritten.values()].filter((row) => row !== undefined)];
  }

  /** As `#tried`; after a failure nothing is written for a while, so that a locked store holds up one write, not all. */
  #written<T>(use: (store: EngineSuspensions) => T): T | undefined {
    if (performance.now() < this.#writesFrom) return undefined;
    const written = this.#tried(use);
    if (written === undefined) this.#writesFrom = performance.now() + storePauseMs;
    return written;
  }

  /** The result of `use`; undefined when the store cannot be used now. */
  #tried<T>(use: (store: EngineSuspensions) => T): T | undefined {
    try {
      this.#store ??= this.#open();
      return use(this.#store);
    } catch (error) {
      this.#complain(error);
      if (systemCodeOf(error) !== "SQLITE_BUSY") this.#drop();
      return undefined;
    }
  }

  #open(): EngineSuspensions {
    const { storePath, warn } = this.#options;
    const options = { busyMsMax: storeBusyMsMax, synchronous: "normal", warn } as const;
    return new EngineSuspensions(openStore(storePath, options));
  }

  #complain(error: unknown): void {
    if (this.#isWarned) return;
    this.#isWarned = true;
    this.#options.warn(`Suspended search engines are not remembered: ${messageOf(error)}`);
  }
}

function availabilityOf(
  { untilMs, probeUntilMs, reason }: EngineSuspension,
  nowMs: number,
): EngineAvailability {
  const leftMs = Math.max(untilMs, probeUntilMs) - nowMs;
  // Nothing lasts longer than a day: it was written before the clock was set back.
  if (leftMs <= 0 || leftMs > suspensionMsMax) return { kind: "due", reason };
  return { kind: "suspended", leftMs, reason };
}
