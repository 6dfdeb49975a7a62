import { startTimer, type Timer } from "../../base/cancellation.ts";
import { formatDuration } from "../../base/cut-text.ts";
import { upstreamProbeMsMax, upstreamSetUpMsMax } from "../../base/upstream-limits.ts";
import { ConnectionError, type ConnectOptions } from "./connection.ts";
import {
  acceptInitialize,
  askInitialize,
  cannotSpeak,
  discover,
  type Greeting,
  isModernFault,
  namesModern,
  offersModern,
  readDiscoverResult,
} from "./handshake.ts";
import type { Peer } from "./peer.ts";
import type { PeerReply } from "./read-reply.ts";

/** A separate connection for each attempt: a server may be unusable after a request that it does not know. */
export type OpenPeer = (form: "usual" | "sse") => Promise<Peer>;

export interface Met {
  readonly peer: Peer;
  readonly greeting: Greeting;
}

/** One attempt to connect to a server. */
export interface Attempt {
  readonly options: ConnectOptions;
  readonly open: OpenPeer;
  readonly signal: AbortSignal;
}

/**
 * Finds out which revisions a server at a pipe speaks (CN10). Silence means nothing: the runner of a silent server may
 * still be downloading it, and ending the process would destroy the download. So both requests go down one pipe, the
 * second after three seconds, and the first answer decides. Only a process that has ended is followed by another.
 * @throws ConnectionError
 */
export async function negotiatePipe(attempt: Attempt): Promise<Met> {
  const { era, knownEra } = attempt.options;
  const isLegacy = era === "legacy" || (era === "auto" && knownEra === "legacy");
  if (isLegacy) return meet(attempt, (meeting) => meeting.shakeHands());
  try {
    return await meet(attempt, (meeting) => meeting.probe());
  } catch (error) {
    const hasEnded = error instanceof ConnectionError && error.failure === "lost";
    if (era === "modern" || !hasEnded) throw error;
    // Some servers end at a first request that they do not know.
    return meet(attempt, (meeting) => meeting.shakeHands());
  }
}

async function meet(
  { open, options, signal }: Attempt,
  greet: (meeting: PipeMeeting) => Promise<Greeting>,
): Promise<Met> {
  const peer = await open("usual");
  using meeting = new PipeMeeting(peer, options, signal);
  try {
    return { peer, greeting: await meeting.within(greet(meeting)) };
  } catch (error) {
    await peer.transport.close();
    throw error;
  }
}

/** The outcome of a request; an invalid answer is one too. */
type Answer = PeerReply | ConnectionError;

/** The negotiation with one process. */
class PipeMeeting implements Disposable {
  readonly #peer: Peer;
  readonly #options: ConnectOptions;
  readonly #signal: AbortSignal;
  readonly #late = Promise.withResolvers<never>();
  readonly #timers = new Set<Timer>();
  readonly #asked: number[] = [];
  readonly #begunAt = performance.now();

  constructor(peer: Peer, options: ConnectOptions, signal: AbortSignal) {
    this.#peer = peer;
    this.#options = options;
    this.#signal = signal;
    this.#late.promise.catch(() => {});
    this.#limit(options.initTimeoutMs);
  }

  /** Disregards unanswered requests; `initialize` must not be cancelled (specification, Lifecycle). */
  [Symbol.dispose](): void {
    for (const timer of this.#timers) timer.stop();
    for (const id of this.#asked) this.#peer.disregard(id);
  }

  /** @throws ConnectionError `timeout` */
  within<Outcome>(work: Promise<Outcome>): Promise<Outcome> {
    return Promise.race([work, this.#late.promise]);
  }

  /** Asks for its revisions: a modern server names them, and an older one gets the legacy handshake. */
  async probe(): Promise<Greeting> {
    const probe = this.#ask("discover");
    const first = await Promise.race([probe, this.#after(upstreamProbeMsMax)]);
    if (first === "silent") return this.#afterSilence(probe);
    const isAgain = isFault(first) && offersModern(first.fault);
    const answer = isAgain ? await this.#ask("discover") : first;
    const greeting = greetingOf(answer);
    if (greeting !== undefined) return greeting;
    const refusal = refusalOf(answer, "server/discover");
    // It speaks a modern revision that scorpiox-code does not: `initialize` would not help.
    const isSettled = isFault(answer) && isModernFault(answer.fault);
    if (isSettled || this.#options.era === "modern") throw refusal;
    return this.shakeHands();
  }

  /** The handshake of the older revisions. */
  async shakeHands(probe?: Promise<Answer>): Promise<Greeting> {
    const modern = probe === undefined ? never : modernAnswer(probe);
    const first = await Promise.race([this.#ask("initialize"), modern]);
    if ("era" in first) return first;
    if (!(first instanceof ConnectionError) && first.kind === "result") {
      return acceptInitialize(this.#peer, first.result);
    }
    return this.#afterRefusal(first, modern);
  }

  /** It has been silent for so long that it may be of the older revisions. */
  async #afterSilence(probe: Promise<Answer>): Promise<Greeting> {
    if (this.#options.era !== "modern") return this.shakeHands(probe);
    const answer = await probe;
    const greeting = greetingOf(answer);
    if (greeting === undefined) throw refusalOf(answer, "server/discover");
    return greeting;
  }

  /** A server that only speaks modern revisions refuses `initialize`, possibly before it answers the probe. */
  async #afterRefusal(answer: Answer, modern: Promise<Greeting>): Promise<Greeting> {
    const refusal = refusalOf(answer, "initialize");
    if (this.#options.era === "legacy") throw refusal;
    const isModernOnly =
      isFault(answer) && (offersModern(answer.fault) || namesModern(answer.fault.data));
    const again = isModernOnly ? modernAnswer(this.#ask("discover")) : never;
    if (modern === never && !isModernOnly) throw refusal;
    const found = await Promise.race([modern, again, this.#after(upstreamProbeMsMax)]);
    if (found === "silent") throw refusal;
    return found;
  }

  #ask(what: "discover" | "initialize"): Promise<Answer> {
    const patience = { signal: this.#signal, onId: (id: number) => void this.#asked.push(id) };
    const ask = what === "discover" ? discover : askInitialize;
    const answer = ask(this.#peer, this.#options, patience).catch((error: unknown) => {
      if (error instanceof ConnectionError && error.failure === "protocol") return error;
      throw error;
    });
    // Of two requests, only one may have a caller that waits for its answer.
    answer.catch(() => {});
    return answer;
  }

  #after(ms: number): Promise<"silent"> {
    return new Promise((resolve) => {
      this.#timers.add(startTimer(ms, () => resolve("silent")));
    });
  }

  /**
   * Extends the limit while the program writes to stderr, unless it is known to be installed: it may be fetching or
   * building the server.
   */
  #limit(ms: number): void {
    const look = (): void => {
      const leftMs = this.#leftMs();
      if (leftMs > 0) return this.#limit(leftMs);
      const { initTimeoutMs } = this.#options;
      const tookMs = performance.now() - this.#begunAt;
      const isLonger = tookMs > 2 * initTimeoutMs;
      const text = `No answer in ${formatDuration(isLonger ? Math.round(tookMs) : initTimeoutMs)}.`;
      this.#late.reject(new ConnectionError("timeout", text));
    };
    this.#timers.add(startTimer(ms, look));
  }

  #leftMs(): number {
    const { endpoint, initTimeoutMs } = this.#options;
    const mayBeSettingUp = endpoint.transport === "stdio" && endpoint.isInstalled !== true;
    const wroteAt = this.#peer.transport.lastErrorAt?.();
    if (!mayBeSettingUp || wroteAt === undefined) return 0;
    const now = performance.now();
    return Math.min(wroteAt + initTimeoutMs - now, this.#begunAt + upstreamSetUpMsMax - now);
  }
}

const never = new Promise<never>(() => {});

/** Never settles for any other answer: an error to the probe decides nothing once `initialize` has been sent. */
async function modernAnswer(probe: Promise<Answer>): Promise<Greeting> {
  return greetingOf(await probe) ?? never;
}

function greetingOf(answer: Answer): Greeting | undefined {
  if (answer instanceof ConnectionError || answer.kind === "fault") return undefined;
  return readDiscoverResult(answer.result);
}

function isFault(answer: Answer): answer is Extract<PeerReply, { kind: "fault" }> {
  return !(answer instanceof ConnectionError) && answer.kind === "fault";
}

function refusalOf(answer: Answer, method: string): ConnectionError {
  if (answer instanceof ConnectionError) return answer;
  return answer.kind === "fault"
    ? cannotSpeak(`The server refused \`${method}\`.`, answer.fault)
    : cannotSpeak(`The answer to \`${method}\` is invalid.`, answer.result);
}
