import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { ownValue } from "../../base/own-value.ts";
import { createDeferred } from "../../base/shared-work.ts";
import type { NetworkGuard } from "../guard/allowance.ts";
import type { EngineChoice } from "./choose-engines.ts";
import type { EnginePace } from "./engine-pace.ts";
import {
  type EngineAnswer,
  type EngineQuery,
  type EngineRequest,
  type EngineResponse,
  engineStepsMax,
  type SearchEngine,
} from "./engine.ts";
import { judgeRedirect, rebaseUrl } from "./engines/judge-redirect.ts";
import { readAnswerText } from "./read-answer-text.ts";
import type { ReadingQueue } from "./reading-queue.ts";
import type { SearchDeadlines } from "./search-limits.ts";

/** The parts that every request to an engine needs. */
export interface EngineRoad {
  readonly guard: NetworkGuard;
  /** Scheme, host and port that the user set for this engine. */
  readonly base: string | undefined;
  /** Hosts that may be reached although their addresses are private: those that the user named. */
  readonly allowHosts: readonly string[];
  readonly limits: AskLimits;
  /** Shared by all engines of this thread. */
  readonly reading: ReadingQueue;
}

/** The abort signal of one question, and the listener to its requests. */
export interface AskLimits {
  readonly signal: AbortSignal;
  /** When it must be done, on the clock of `performance.now()`. */
  readonly untilAt: number;
  /** Called before each request. */
  readonly onRequest: () => void;
}

type Sent =
  | { readonly kind: "response"; readonly response: EngineResponse }
  | { readonly kind: "answer"; readonly answer: EngineAnswer };

/**
 * Asks one engine, in as many requests as that takes, and reads its answer.
 * @throws the errors of the guard: no connection, a refused address, the end of the signal; AppError `system` when the
 * answer breaks off, `limit` when there is no time to read the answer
 */
export async function askEngine(
  engine: SearchEngine,
  query: EngineQuery,
  road: EngineRoad,
): Promise<EngineAnswer> {
  let request = engine.start(query);
  for (let step = 1; ; step++) {
    const sent = await send(engine, request, road);
    if (sent.kind === "answer") return sent.answer;
    const { response } = sent;
    const isLast = step === engineStepsMax;
    const outcome = await road.reading.run(response.text.length, road.limits.untilAt, async () => {
      const following = isLast ? undefined : await engine.next?.({ request, response }, query);
      return following ?? (await engine.read(response, query));
    });
    if ("state" in outcome) return outcome;
    request = outcome;
  }
}

/** Sends a request and follows redirects as far as the engine's rules go. */
async function send(
  engine: SearchEngine,
  { url: address, method, headers, body }: EngineRequest,
  road: EngineRoad,
): Promise<Sent> {
  let url = rebaseUrl(address, road.base);
  let message: Message = { method, headers, ...(body === undefined ? {} : { body }) };
  for (let hops = 0; ; hops++) {
    const { guard, allowHosts, limits } = road;
    limits.onRequest();
    const response = await guard.fetch({ url, ...message, allowHosts, signal: limits.signal });
    const location = isRedirect(response.status) ? response.headers.get("location") : null;
    if (location === null) return readResponse(url, response);
    await response.body?.cancel();
    const verdict = judgeRedirect(engine, url, location, hops);
    if (verdict.kind === "answer") return verdict;
    url = verdict.url;
    message = afterRedirect(response.status, message);
  }
}

interface Message {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** A form goes again where the server asks for it only; browsers do the same. */
function afterRedirect(status: number, message: Message): Message {
  if (status === 307 || status === 308) return message;
  const headers = Object.entries(message.headers).filter(([name]) => !/^content-/i.test(name));
  return { method: "GET", headers: Object.fromEntries(headers) };
}

async function readResponse(url: URL, response: Response): Promise<Sent> {
  const text = await readAnswerText(response).catch(brokenOff);
  if (text === undefined) {
    return { kind: "answer", answer: { state: "error", detail: "body too large" } };
  }
  const { status } = response;
  const headers = plainHeaders(response.headers);
  return { kind: "response", response: { status, url: url.href, headers, text } };
}

/** The messages of Bun name the address that was dialled, and with it the query. */
function brokenOff(error: unknown): never {
  const reason = systemCodeOf(error) ?? "unknown reason";
  throw new AppError("system", `the answer broke off: ${reason}`, { cause: error });
}

/** Several headers of one name in one text, cookies too. */
function plainHeaders(headers: Headers): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of headers) {
    plain[name] = plain[name] === undefined ? value : `${plain[name]}, ${value}`;
  }
  return plain;
}

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
