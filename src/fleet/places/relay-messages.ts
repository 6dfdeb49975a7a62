import { AppError } from "../../base/errors.ts";
import { isObject } from "../../base/values.ts";
import type { RequestId, Params } from "../../protocol/json-rpc.ts";
import type { Principal } from "../../server/auth/principal.ts";
import type { Caller } from "../../server/connection/elsewhere.ts";

/** Kinds of messages between the replica at which a request arrived and the one at which it runs. */
export const relayKinds = {
  /** The request; its answer is a `FinalReply`. */
  request: "request",
  /** The request with this number is about to run. */
  begun: "request-begun",
  /** A message of the request for its client, on its way back. */
  message: "request-message",
  /** The response to the request with this number ends now; its client comes back for the rest. */
  close: "request-close",
  /** The server at which it arrived goes: a request without an end is answered. */
  end: "request-end",
  /** The token of a principal was taken back: what it has begun is to end. */
  endClient: "client-end",
  /** A second principal is served: answered when what the first has used is not there for it. */
  separate: "separate",
} as const;

/** A request on its way to its place. */
export interface RelayedRequest {
  /** Counts the requests that the sender has relayed: names this one in other messages. */
  readonly number: number;
  readonly caller: Caller;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params | undefined;
  /** Its response may end before its reply (`ReplyLane.closeEarly`). */
  readonly canClose: boolean;
}

/** A text for the client of the request with this number. */
export interface RelayedMessage {
  readonly number: number;
  readonly text: string;
}

export function encodeRequest({ caller, ...rest }: RelayedRequest): unknown {
  const { principal, ...session } = caller;
  return { ...rest, caller: { ...session, principal: encodePrincipal(principal) } };
}

/** As JSON has it: sets become lists. */
function encodePrincipal(principal: Principal): unknown {
  const scopes = principal.scopes === undefined ? undefined : [...principal.scopes];
  const servers = principal.servers === undefined ? undefined : [...principal.servers];
  return { ...principal, scopes, servers };
}

/** @throws AppError "unsupported" for the message of a program that relays in another form */
export function readRequest(body: unknown): RelayedRequest {
  if (!isObject(body)) throw foreign();
  const { number, id, method, params, caller, canClose } = body;
  if (typeof number !== "number" || typeof method !== "string") throw foreign();
  if (typeof id !== "string" && typeof id !== "number") throw foreign();
  return {
    number,
    id,
    method,
    params: isObject(params) ? params : undefined,
    caller: readCaller(caller),
    canClose: canClose === true,
  };
}

function readCaller(caller: unknown): Caller {
  if (!isObject(caller) || !isObject(caller.principal)) throw foreign();
  const { sessionId } = caller;
  const { id, scopes, servers, ...rest } = caller.principal;
  if (typeof id !== "string") throw foreign();
  const reachable = readSet(servers);
  return {
    principal: {
      ...rest,
      id,
      scopes: readSet(scopes),
      ...(reachable !== undefined && { servers: reachable }),
    },
    ...(typeof sessionId === "string" ? { sessionId } : {}),
  };
}

function readSet(list: unknown): ReadonlySet<string> | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw foreign();
  return new Set(list.map(String));
}

/** @throws AppError as `readRequest` */
export function readMessage(body: unknown): RelayedMessage {
  if (!isObject(body) || typeof body.number !== "number" || typeof body.text !== "string")
    throw foreign();
  return { number: body.number, text: body.text };
}

function foreign(): AppError {
  return new AppError(
    "unsupported",
    "A replica of another version relays requests in a form that is not known here.",
  );
}
