import { messageOf } from "../../base/errors.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import {
  ConnectionError,
  type ConnectionEvents,
  type ConnectOptions,
  type OpenConnection,
} from "./connection.ts";
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
import { StatusError } from "./http-errors.ts";
import { LiveConnection, tellLog } from "./live-connection.ts";
import { type Attempt, type Met, negotiatePipe, type OpenPeer } from "./negotiate-pipe.ts";
import { PeerOpener } from "./open-peer.ts";
import { Peer, type PeerEvents, type PendingCall } from "./peer.ts";
import type { PeerReply } from "./read-reply.ts";
import { ServerRequests } from "./server-requests.ts";

/** Finds out which revisions a server speaks (CN10, CN11). @throws ConnectionError */
function negotiate(options: ConnectOptions, open: OpenPeer, signal: AbortSignal): Promise<Met> {
  const attempt = { options, open, signal };
  return options.endpoint.transport === "stdio" ? negotiatePipe(attempt) : negotiateHttp(attempt);
}

async function negotiateHttp(attempt: Attempt): Promise<Met> {
  const { era, knownEra } = attempt.options;
  if (era === "legacy" || (era === "auto" && knownEra === "legacy")) return meetLegacy(attempt);
  const peer = await attempt.open("usual");
  const probed = await probe(peer, attempt);
  if (probed.kind === "modern") return { peer, greeting: probed.greeting };
  await peer.transport.close();
  if (era === "modern") throw probed.error;
  return meetLegacy(attempt);
}

type Probed =
  | { readonly kind: "modern"; readonly greeting: Greeting }
  | { readonly kind: "other"; readonly error: ConnectionError };

/** @throws ConnectionError when the answer shows no era, or no other era is possible */
async function probe(peer: Peer, attempt: Attempt): Promise<Probed> {
  const reply = await askDiscover(peer, attempt);
  if (reply instanceof ConnectionError) return { kind: "other", error: reply };
  if (reply.kind === "fault") {
    const error = cannotSpeak("The server refused `server/discover`.", reply.fault);
    if (!isModernFault(reply.fault)) return { kind: "other", error };
    // It speaks a modern revision that scorpiox-code does not: `initialize` would not help.
    await peer.transport.close();
    throw error;
  }
  const greeting = readDiscoverResult(reply.result);
  if (greeting !== undefined) return { kind: "modern", greeting };
  const what = "The answer to `server/discover` is invalid.";
  return { kind: "other", error: cannotSpeak(what, reply.result) };
}

/**
 * A returned error indicates a server of the older revisions. @throws ConnectionError for an error that indicates
 * nothing
 */
async function askDiscover(
  peer: Peer,
  { options, signal }: Attempt,
): Promise<PeerReply | ConnectionError> {
  const patience = { signal, timeoutMs: options.initTimeoutMs };
  peer.isModern = true;
  try {
    const reply = await discover(peer, options, patience);
    const isAgain = reply.kind === "fault" && offersModern(reply.fault);
    return isAgain ? await discover(peer, options, patience) : reply;
  } catch (error) {
    if (error instanceof ConnectionError && !isNoEvidence(error)) return error;
    await peer.transport.close();
    throw withAdvice(error, options);
  } finally {
    peer.isModern = false;
  }
}

/** Some older servers fail at a request that they do not know, which looks like a broken server. */
function withAdvice(error: unknown, { era }: ConnectOptions): unknown {
  if (!(error instanceof StatusError) || error.status < 500 || era !== "auto") return error;
  const advice = 'If it is an older server, put `era = "legacy"` into its entry.';
  return new ConnectionError(error.failure, `${error.message} ${advice}`, error.retryAfterMs);
}

/** Only a refusal of the POST indicates an older server. */
function isNoEvidence(error: ConnectionError): boolean {
  if (error instanceof StatusError && error.status === 403) return true;
  return error.failure !== "refused" && error.failure !== "protocol";
}

/** @throws ConnectionError */
async function meetLegacy(attempt: Attempt): Promise<Met> {
  const peer = await attempt.open("usual");
  try {
    return await shakeHands(peer, attempt);
  } catch (error) {
    await peer.transport.close();
    if (!mayBeOldest(error)) throw error;
    return meetOldest(attempt, error);
  }
}

/** Tries the HTTP transport of 2024-11-05. If that fails too, the first error is more useful. */
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
    await peer.transport.close();
    throw error;
  }
}

async function shakeHands(peer: Peer, { options, signal }: Attempt): Promise<Met> {
  const patience = { signal, timeoutMs: options.initTimeoutMs };
  const reply = await askInitialize(peer, options, patience);
  if (reply.kind === "result") {
    return { peer, greeting: await acceptInitialize(peer, reply.result) };
  }
  const { fault } = reply;
  const isModernOnly = options.era !== "legacy" && (offersModern(fault) || namesModern(fault.data));
  if (!isModernOnly) throw cannotSpeak("The server refused `initialize`.", fault);
  const probed = await probe(peer, {
    options: { ...options, era: "modern" },
    open: noOther,
    signal,
  });
  if (probed.kind === "other") throw probed.error;
  return { peer, greeting: probed.greeting };
}

const noOther: OpenPeer = () =>
  Promise.reject(new ConnectionError("protocol", "No other transport is available."));

function mayBeOldest(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && error.failure === "refused";
}

/** Connects to one server and finds out which revisions it speaks. Leaves nothing behind when it fails. */
export const openConnection: OpenConnection = async (options, events, signal) => {
  const opener = new PeerOpener(options.endpoint, signal);
  const state: OpenState = { options, events, connection: undefined, current: undefined };
  const open = (form: "usual" | "sse"): Promise<Peer> =>
    opener.open(form, (peer) => peerEvents(state, peer));
  try {
    const met = await negotiate(options, open, signal);
    state.current = met.peer;
    opener.discardAllBut(met.peer);
    state.connection = new LiveConnection(options, met, events);
    return state.connection;
  } catch (error) {
    opener.discardAllBut(undefined);
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError("unreachable", messageOf(error));
  }
};

interface OpenState {
  readonly options: ConnectOptions;
  readonly events: ConnectionEvents;
  connection: LiveConnection | undefined;
  /** The peer of the successful attempt: the end of any other does not matter. */
  current: Peer | undefined;
}

function peerEvents(state: OpenState, peer: () => Peer): PeerEvents {
  const { events, options } = state;
  const onStray = (text: string): void => events.onStray(text);
  let requests: ServerRequests | undefined;
  return {
    onStray,
    onNotification: (method, params, call) => notice(state, method, params, call ?? peer()),
    onRequest: (request, origin) => {
      requests ??= new ServerRequests(peer(), options, events);
      void requests.take(request, origin);
    },
    onClosed: (error) => {
      if (state.current !== peer()) return;
      state.connection?.subscriptions[Symbol.dispose]();
      events.onClosed(error.message);
    },
  };
}

function notice(
  { connection, events, options }: OpenState,
  method: string,
  params: Params,
  from: PendingCall | Peer,
): void {
  if (method !== "notifications/message")
    return connection?.subscriptions.onNotification(method, params);
  const calls = from instanceof Peer ? callOfEachClient(from, options) : [from];
  const told = calls.flatMap(({ hooks }) => hooks.onLog ?? []);
  for (const onLog of told) tellLog(params, onLog);
  if (told.length === 0) tellLog(params, events.onLog.bind(events));
}

/** The log of a server whose clients know nothing of each other goes to all that have a call there (HB4). */
function callOfEachClient(peer: Peer, { servesSeveral }: ConnectOptions): readonly PendingCall[] {
  if (servesSeveral !== true) return [];
  return [...new Map(peer.calls.map((call) => [call.hooks.asking?.clientId, call])).values()];
}
