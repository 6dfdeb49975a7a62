import { AppError, messageOf } from "../../base/errors.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { AskLimits } from "./ask-engine.ts";
import type { Choice } from "./choose-engines.ts";
import type { EngineAnswer } from "./engine.ts";
import type { EnginePace } from "./engine-pace.ts";
import type { SearchDeadlines } from "./search-limits.ts";

export type Ask = Extract<Choice, { kind: "ask" }>;

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

export interface AskingParts {
  readonly deadlines: SearchDeadlines;
  readonly pace: EnginePace;
  /** Asks one engine; rejects at the end of the signal. */
  askOne(ask: Ask, limits: AskLimits): Promise<EngineAnswer>;
  /** Told of each end, in the order of their coming; true when the rest need not be waited for much longer. */
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
  const given = createDeferred<Finding>();
  const giveUp = (): void => given.resolve(signal.reason as Finding);
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

/** @param signal has the last word on what failed because of it */
async function findAnswer(answer: Promise<EngineAnswer>, signal: AbortSignal): Promise<Finding> {
  try {
    return { kind: "answer", answer: await answer };
  } catch (error) {
    if (signal.aborted) return signal.reason as Finding;
    if (error instanceof AppError && error.code === "limit") {
      return { kind: "late", detail: error.message };
    }
    return { kind: "answer", answer: { state: "error", detail: messageOf(error) } };
  }
}
