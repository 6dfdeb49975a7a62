import { AppError, messageOf } from "../../base/errors.ts";
import { turnOfLoop } from "../../base/turns.ts";
import { ownValue } from "../../base/values.ts";
import type { EngineChoice } from "./choose-engines.ts";
import type { EnginePace } from "./engine-pace.ts";
import type { EngineAnswer } from "./engine.ts";

/** How long a search waits, in ms; in one value so that tests on a busy machine can wait longer. */
export interface SearchDeadlines {
  /** From the first byte sent to an engine to the last one received, all its requests together; peers use 3 to 20 s. */
  readonly engineMsMax: number;
  /** From the start of a search to its reply, whatever is missing. */
  readonly searchMsMax: number;
  /** The part of a search's time that is reserved for the answer of an engine whose turn comes late. */
  readonly answerMsMin: number;
  /** The time for the remaining engines when enough answers have come. */
  readonly earlyGraceMs: number;
}

export const searchDeadlines: SearchDeadlines = {
  engineMsMax: 4_000,
  searchMsMax: 6_000,
  answerMsMin: 1_000,
  earlyGraceMs: 1_000,
};

export type Ask = Extract<EngineChoice, { kind: "ask" }>;

/** How one question ended. */
type Finding =
  | { readonly kind: "answer"; readonly answer: EngineAnswer }
  /** Its own time, or that of the search, was up. */
  | { readonly kind: "late"; readonly detail?: string }
  /** There was enough without it, or nobody wanted the reply any more. */
  | { readonly kind: "abandoned"; readonly reason: string }
  /** Its turn did not come in time, since it was asked a moment ago. */
  | { readonly kind: "own_pace" };

export interface Settled {
  readonly ask: Ask;
  readonly finding: Finding;
  /** From its first request; 0 when its turn did not come. */
  readonly ms: number;
}

/** The abort signal of one question, and the listener to its requests. */
export interface AskLimits {
  readonly signal: AbortSignal;
  /** When it must be done, on the clock of `performance.now()`. */
  readonly untilAt: number;
  /** Called before each request. */
  readonly onRequest: () => void;
}

export interface AskingParts {
  readonly deadlines: SearchDeadlines;
  readonly pace: EnginePace;
  /** Asks one engine; rejects at the end of the signal. */
  askOne(ask: Ask, limits: AskLimits): Promise<EngineAnswer>;
  /** Called at each end, in the order of their coming; true when the rest need not be waited for much longer. */
  onSettled(settled: Settled): boolean;
}

/**
 * Asks all at once. Resolves within the deadline of the search, whatever engines do; questions still under way are then
 * abandoned, with their connections.
 * @throws AppError `cancelled` when `signal` says so
 */
export async function askAll(
  asks: readonly Ask[],
  parts: AskingParts,
  signal: AbortSignal,
): Promise<void> {
  const { earlyGraceMs, searchMsMax } = parts.deadlines;
  const round = new AbortController();
  const endsAt = performance.now() + searchMsMax;
  const stop = (finding: Finding): void => round.abort(finding);
  const onCancel = (): void => stop({ kind: "abandoned", reason: "cancelled" });
  if (signal.aborted) onCancel();
  signal.addEventListener("abort", onCancel, { once: true });
  const timers = [setTimeout(stop, searchMsMax, { kind: "late" } satisfies Finding)];
  let isEnough = false;
  const questions = asks.map(async (ask) => {
    const settled = await askWithin(ask, parts, { signal: round.signal, endsAt });
    const isEnoughNow = parts.onSettled(settled);
    if (!isEnoughNow || isEnough) return;
    isEnough = true;
    const finding = { kind: "abandoned", reason: "early return" } satisfies Finding;
    timers.push(setTimeout(stop, earlyGraceMs, finding));
  });
  try {
    await Promise.all(questions);
  } finally {
    signal.removeEventListener("abort", onCancel);
    timers.forEach(clearTimeout);
  }
  if (signal.aborted) throw new AppError("cancelled", "The search was cancelled.");
}

interface Round {
  /** Aborted with the `Finding` of all that is still under way. */
  readonly signal: AbortSignal;
  /** On the clock of `performance.now()`. */
  readonly endsAt: number;
}

/** One question, as soon as it is its turn. Never rejects, and never outlives `round`. */
async function askWithin(ask: Ask, parts: AskingParts, round: Round): Promise<Settled> {
  const { id } = ask.engine;
  const { answerMsMin, engineMsMax } = parts.deadlines;
  using turn = await parts.pace.take(id, round.endsAt - answerMsMin, round.signal);
  if (turn === undefined) return { ask, finding: { kind: "own_pace" }, ms: 0 };
  const startedAt = performance.now();
  const own = new AbortController();
  const timer = setTimeout(() => own.abort({ kind: "late" } satisfies Finding), engineMsMax);
  const signal = AbortSignal.any([own.signal, round.signal]);
  const given = Promise.withResolvers<Finding>();
  const giveUp = (): void => given.resolve(ownValue(signal.reason));
  if (signal.aborted) giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  const untilAt = Math.min(startedAt + engineMsMax, round.endsAt);
  const limits = { signal, untilAt, onRequest: () => turn.noteRequest() };
  const answer = findAnswer(parts.askOne(ask, limits), signal);
  const finding = await Promise.race([given.promise, answer]);
  clearTimeout(timer);
  // Anything still under way, such as an unread body, ends here.
  own.abort(finding);
  return { ask, finding, ms: Math.round(performance.now() - startedAt) };
}

/** @param signal decides the reason of a failure that it caused */
async function findAnswer(answer: Promise<EngineAnswer>, signal: AbortSignal): Promise<Finding> {
  try {
    return { kind: "answer", answer: await answer };
  } catch (error) {
    if (signal.aborted) return ownValue(signal.reason);
    if (error instanceof AppError && error.code === "limit") {
      return { kind: "late", detail: error.message };
    }
    return { kind: "answer", answer: { state: "error", detail: messageOf(error) } };
  }
}

/** Texts up to this length are read as long as there is any time; captured pages reach half of it. */
const ordinaryCharsMax = 1_000_000;
/**
 * Characters of longer answers that are read per millisecond at least: pages made to be slow take that long (measured).
 */
const charsPerMsMin = 1_000;

interface Waiting {
  readonly chars: number;
  readonly start: () => Promise<void>;
}

/**
 * Reads answers one at a time, the shortest first, and lets timers run in between. A page cannot be put aside while it
 * is parsed: many huge ones that come together would otherwise keep a search from its deadline, and engines that
 * answered as they should from being read.
 */
export class ReadingQueue {
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  /**
   * The result of `read`, when it is its turn.
   * @param untilAt when it must be done, on the clock of `performance.now()`
   * @throws AppError `limit` when too little time is left; the errors of `read`
   */
  run<T>(chars: number, untilAt: number, read: () => Promise<T>): Promise<T> {
    const outcome = Promise.withResolvers<T>();
    const start = (): Promise<void> => {
      const leftMs = untilAt - performance.now();
      const neededMs = Math.max(0, chars - ordinaryCharsMax) / charsPerMsMin;
      if (leftMs > 0 && leftMs >= neededMs) return read().then(outcome.resolve, outcome.reject);
      outcome.reject(new AppError("limit", `No time is left to read ${chars} characters.`));
      return Promise.resolve();
    };
    this.#waiting.push({ chars, start });
    if (!this.#isBusy) void this.#work();
    return outcome.promise;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      // Timers, and answers that are already there, have their turn.
      await turnOfLoop();
      const shortest = this.#waiting.reduce((a, b) => (b.chars < a.chars ? b : a));
      this.#waiting.splice(this.#waiting.indexOf(shortest), 1);
      await shortest.start();
    }
    this.#isBusy = false;
  }
}
