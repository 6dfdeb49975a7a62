import { AppError, systemCodeOf } from "../../base/errors.ts";
import type { NetworkGuard } from "../guard/guard.ts";
import { engineStepsMax } from "./engine.ts";
import type {
  EngineAnswer,
  EngineQuery,
  EngineRequest,
  EngineResponse,
  SearchEngine,
} from "./engine.ts";
import { judgeRedirect } from "./engines/judge-redirect.ts";
import { rebaseUrl } from "./engines/rebase-url.ts";
import { readAnswerText } from "./read-answer-text.ts";
import type { ReadingQueue } from "./reading-queue.ts";

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
