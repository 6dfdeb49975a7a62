import { AppError, systemCodeOf } from "../../base/errors.ts";
import type { NetworkGuard } from "../guard/network-guard.ts";
import { charsetOf, decodeText } from "../pages/charset.ts";
import type { AskLimits, ReadingQueue } from "./ask-all.ts";
import {
  type EngineAnswer,
  type EngineQuery,
  type EngineRequest,
  type EngineResponse,
  engineStepsMax,
  type SearchEngine,
} from "./engine.ts";
import { wallAt } from "./pages/answers.ts";

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

/** Redirects that are followed for one request. */
const engineRedirectsMax = 3;

export type RedirectVerdict =
  | { readonly kind: "follow"; readonly url: URL }
  | { readonly kind: "answer"; readonly answer: EngineAnswer };

/**
 * Whether a redirect is followed. One to a captcha or a consent wall is itself the answer, and one that leaves
 * the engine's domain is followed by nobody.
 *
 * @param from where the redirecting response came from, base override included
 * @param location the header as it was sent
 * @param hops redirects that were followed before this one
 */
export function judgeRedirect(
  engine: SearchEngine,
  from: URL,
  location: string,
  hops: number,
): RedirectVerdict {
  const url = URL.parse(location, from.href);
  if (url === null) return failed("redirected to something that is not a URL");
  const said = wallAt(url, (place) => engine.judgeLocation?.(place));
  if (said !== undefined) return { kind: "answer", answer: said };
  if (url.protocol !== "https:" && url.protocol !== from.protocol) {
    return failed(`redirected to ${url.protocol}//${url.host}`);
  }
  if (!isWithin(url, from, engine.domain)) return failed(`redirected to ${url.host}`);
  if (hops >= engineRedirectsMax) return failed(`more than ${engineRedirectsMax} redirects`);
  return { kind: "follow", url };
}

function failed(detail: string): RedirectVerdict {
  return { kind: "answer", answer: { state: "error", detail } };
}

/** An overridden host is not in the domain: from there only the same host is allowed. */
function isWithin(url: URL, from: URL, domain: string | undefined): boolean {
  if (url.host === from.host) return true;
  return domain !== undefined && isOf(from.hostname, domain) && isOf(url.hostname, domain);
}

function isOf(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/**
 * The address that a request goes to when the engine's base is overridden: scheme, host and port of the override,
 * path and query of the request. A path of the override is ignored.
 *
 * @param base an absolute `http:` or `https:` URL, already judged by the configuration
 */
export function rebaseUrl(url: string, base: string | undefined): URL {
  const real = new URL(url);
  if (base === undefined) return real;
  return new URL(new URL(base).origin + real.pathname + real.search);
}

/** Bytes of one answer, decompressed; captured pages reach 547 kB. */
const answerBytesMax = 3 * 1024 * 1024;

/** The decoded body; undefined when it is too large: the rest of it is not read. */
export async function readAnswerText(response: Response): Promise<string | undefined> {
  const bytes = await readBytes(response);
  if (bytes === undefined) return undefined;
  return decodeText(bytes, charsetOf(response.headers.get("content-type") ?? ""), false);
}

async function readBytes(response: Response): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream, which closes the connection.
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    length += chunk.byteLength;
    if (length > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
