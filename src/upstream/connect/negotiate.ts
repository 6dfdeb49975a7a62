import { upstreamProbeMsMax } from "../../base/upstream-limits.ts";
import { isModernVersion } from "../../protocol/versions.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { ConnectionError, type ConnectOptions } from "./connection.ts";
import {
  cannotSpeak,
  discover,
  type Greeting,
  initialize,
  isModernFault,
  offersModern,
  readDiscoverResult,
} from "./handshake.ts";
import { StatusError } from "./http-errors.ts";
import type { Peer } from "./peer.ts";
import type { PeerReply } from "./pending-calls.ts";

/** A link of its own for each attempt: a server that was asked what it does not know may not go on. */
export type OpenPeer = (form: "usual" | "sse") => Promise<Peer>;

export interface Met {
  readonly peer: Peer;
  readonly greeting: Greeting;
}

interface Attempt {
  readonly options: ConnectOptions;
  readonly open: OpenPeer;
  readonly signal: AbortSignal;
}

/** Finds out which revisions a server speaks (gateway contract CN10, CN11). @throws ConnectionError */
export async function negotiate(
  options: ConnectOptions,
  open: OpenPeer,
  signal: AbortSignal,
): Promise<Met> {
  const attempt = { options, open, signal };
  const { era, knownEra } = options;
  if (era === "legacy" || (era === "auto" && knownEra === "legacy")) return meetLegacy(attempt);
  const peer = await open("usual");
  const probed = await probe(peer, attempt);
  if (probed.kind === "modern") return { peer, greeting: probed.greeting };
  await peer.link.close();
  if (era === "modern") throw probed.error;
  return meetLegacy(attempt);
}

type Probed =
  | { readonly kind: "modern"; readonly greeting: Greeting }
  | { readonly kind: "other"; readonly error: ConnectionError };

/** @throws ConnectionError for what says nothing of an era, or that there is no other */
async function probe(peer: Peer, attempt: Attempt): Promise<Probed> {
  const reply = await askDiscover(peer, attempt);
  if (reply instanceof ConnectionError) return { kind: "other", error: reply };
  if (reply.kind === "fault") {
    const error = cannotSpeak("The server refused `server/discover`.", reply.fault);
    if (!isModernFault(reply.fault)) return { kind: "other", error };
    // It speaks a modern revision, but not with us: `initialize` would say nothing better.
    await peer.link.close();
    throw error;
  }
  const greeting = readDiscoverResult(reply.result);
  if (greeting !== undefined) return { kind: "modern", greeting };
  const what = "`server/discover` was answered with something else.";
  return { kind: "other", error: cannotSpeak(what, reply.result) };
}

/** An error that is returned tells a server of the older revisions. @throws ConnectionError for what tells nothing */
async function askDiscover(
  peer: Peer,
  { options, signal }: Attempt,
): Promise<PeerReply | ConnectionError> {
  const isHttp = options.endpoint.transport === "http";
  const isSure = options.era === "modern" || isHttp;
  const { initTimeoutMs } = options;
  const timeoutMs = isSure ? initTimeoutMs : Math.min(upstreamProbeMsMax, initTimeoutMs);
  const patience = { signal, timeoutMs };
  peer.isModern = true;
  try {
    const reply = await discover(peer, options, patience);
    const isAgain = reply.kind === "fault" && offersModern(reply.fault);
    return isAgain ? await discover(peer, options, patience) : reply;
  } catch (error) {
    if (error instanceof ConnectionError && !isNoEvidence(error, isHttp)) return error;
    await peer.link.close();
    throw withAdvice(error, options);
  } finally {
    peer.isModern = false;
  }
}

/** Some older servers fail over a request that they do not know, which cannot be told from one that is broken. */
function withAdvice(error: unknown, { era }: ConnectOptions): unknown {
  if (!(error instanceof StatusError) || error.status < 500 || era !== "auto") return error;
  const advice = 'If it is an older server, put `era = "legacy"` into its entry.';
  return new ConnectionError(error.failure, `${error.message} ${advice}`, error.retryAfterMs);
}

/** Over a pipe silence and the end of the process tell an older server; over HTTP a refusal of what was posted does. */
function isNoEvidence(error: ConnectionError, isHttp: boolean): boolean {
  const { failure } = error;
  if (failure === "cancelled" || failure === "needs_auth") return true;
  if (error instanceof StatusError && error.status === 403) return true;
  return isHttp && failure !== "refused" && failure !== "protocol";
}

/** @throws ConnectionError */
async function meetLegacy(attempt: Attempt): Promise<Met> {
  const peer = await attempt.open("usual");
  try {
    return await shakeHands(peer, attempt);
  } catch (error) {
    await peer.link.close();
    if (!mayBeOldest(error, attempt)) throw error;
    return meetOldest(attempt, error as ConnectionError);
  }
}

/** The form of HTTP of 2024-11-05: what it says of its failure is of less use than what the usual form said. */
async function meetOldest(attempt: Attempt, first: ConnectionError): Promise<Met> {
  let peer: Peer;
  try {
    peer = await attempt.open("sse");
  } catch (error) {
    throw error instanceof ConnectionError && error.failure === "needs_auth" ? error : first;
  }
  try {
    return await shakeHands(peer, attempt);
  } catch (error) {
    await peer.link.close();
    throw error;
  }
}

async function shakeHands(peer: Peer, { options, signal }: Attempt): Promise<Met> {
  const patience = { signal, timeoutMs: options.initTimeoutMs };
  const greeting = await initialize(peer, options, patience);
  if ("era" in greeting) return { peer, greeting };
  const isModernOnly =
    options.era !== "legacy" && (offersModern(greeting) || namesModern(greeting.data));
  if (!isModernOnly) throw cannotSpeak("The server refused `initialize`.", greeting);
  const probed = await probe(peer, {
    options: { ...options, era: "modern" },
    open: noOther,
    signal,
  });
  if (probed.kind === "other") throw probed.error;
  return { peer, greeting: probed.greeting };
}

/** A modern server that was silent for too long when it was asked, and now says what it speaks. */
function namesModern(data: unknown): boolean {
  return isObject(data) && Array.isArray(data.supported) && data.supported.some(isModernVersion);
}

const noOther: OpenPeer = () =>
  Promise.reject(new ConnectionError("protocol", "There is no other way."));

function mayBeOldest(error: unknown, { options }: Attempt): boolean {
  if (options.endpoint.transport !== "http" || !(error instanceof ConnectionError)) return false;
  return error.failure === "refused";
}
