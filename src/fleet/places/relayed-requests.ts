import { AppError } from "../../base/errors.ts";
import { replicaRequestsMax } from "../../base/limits.ts";
import { Shares } from "../../base/turns.ts";
import { isObject } from "../../base/values.ts";
import { replyOfError } from "../../calls/ask-client.ts";
import { readEnvelope } from "../../protocol/client-capabilities.ts";
import { isModernVersion } from "../../protocol/message.ts";
import { type Principal, rightsOf } from "../../server/auth/principal.ts";
import { ActiveRequest, type Asker, InFlight } from "../../server/connection/active-request.ts";
import type { Caller } from "../../server/connection/elsewhere.ts";
import {
  encodedRound,
  type FinalReply,
  type MethodReply,
  type ReplyLane,
} from "../../server/connection/replies.ts";
import type { ServedConnection } from "../../server/context/server-context.ts";
import { legacyMethods, modernMethods } from "../../server/methods.ts";
import type { Messages, Received } from "../replicas/messages.ts";
import type { HeldState } from "./held-state.ts";
import { readRequest, type RelayedRequest, relayKinds } from "./relay-messages.ts";

/** Messages to the client that are not in the engine yet: beyond it what may be left out is left out. */
const messagesUnderWayMax = 64;

export interface RelayedParts {
  readonly messages: Messages;
  readonly held: HeldState;
  /** The part of the places for requests that one principal may have; all when it is not given. */
  readonly principalPart?: number | undefined;
  /**
   * The connection of a caller whose requests arrive elsewhere; undefined for a session that has ended.
   * @throws SharedEngineError
   */
  readonly connectionOf: (
    caller: Caller,
    lane: ReplyLane,
    inFlight: InFlight,
  ) => Promise<ServedConnection | undefined>;
}

/** The replica at which a request has its place: runs what arrived elsewhere, and sends back all that it says. */
export class RelayedRequests implements Disposable {
  readonly #parts: RelayedParts;
  readonly #stops: readonly (() => void)[];
  readonly #running = new Map<string, ActiveRequest>();
  readonly #open = new Set<InFlight>();
  /** Requests of one principal may come from all replicas at once. */
  readonly #places: Shares;
  #isDraining = false;

  constructor(parts: RelayedParts) {
    this.#parts = parts;
    const { messages, principalPart } = parts;
    this.#places = new Shares(replicaRequestsMax, principalPart);
    this.#stops = [
      messages.handle(relayKinds.request, (body, received) =>
        this.#runInPlace(readRequest(body), received),
      ),
      messages.handle(relayKinds.end, async (body, { from }) =>
        this.#running.get(`${from} ${String(body)}`)?.endGracefully(),
      ),
    ];
  }

  /** Requests under way. */
  get size(): number {
    return this.#running.size;
  }

  /** No new ones; resolves when those under way have been answered. */
  async settled(): Promise<void> {
    this.#isDraining = true;
    for (const inFlight of this.#open) inFlight.endSubscriptions();
    await Promise.all([...this.#open].map((inFlight) => inFlight.settled()));
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
    for (const inFlight of this.#open) inFlight.cancelAll();
  }

  async #runInPlace(relayed: RelayedRequest, received: Received): Promise<FinalReply> {
    if (this.#isDraining) throw new AppError("cancelled", "The replica is shutting down.");
    const { id } = relayed.caller.principal;
    if (!this.#places.hasRoomFor(id))
      throw new AppError("limit", "Too many requests of this user are under way there.");
    this.#places.take(id);
    try {
      return await this.#run(relayed, received);
    } finally {
      this.#places.giveBack(id);
    }
  }

  async #run(relayed: RelayedRequest, received: Received): Promise<FinalReply> {
    const lane = new RemoteLane(this.#parts.messages, received.from, relayed);
    const inFlight = new InFlight();
    const connection = await this.#parts.connectionOf(relayed.caller, lane, inFlight);
    if (connection === undefined) throw new AppError("not_found", "The session has ended.");
    const asker = askerOf(relayed, connection, lane);
    if ("reply" in asker) return asker.reply;
    const request = new ActiveRequest(relayed, asker.asker, lane);
    this.#parts.held.note(request.client.id, relayed.caller.principal.id);
    const key = `${received.from} ${relayed.number}`;
    this.#running.set(key, request);
    this.#open.add(inFlight);
    inFlight.begin(request);
    // At once where it came meanwhile.
    received.cancellation.onCancel(() => inFlight.cancel(request.id));
    try {
      // Before anything is done: a request that has not begun when this replica is gone runs elsewhere.
      await this.#parts.messages.notify(received.from, relayKinds.begun, relayed.number);
      const reply = await replyTo(request, connection);
      // Progress that waits goes out before the reply.
      request.markAnswered();
      await this.#parts.held.flushed();
      return reply;
    } finally {
      inFlight.end(request);
      this.#running.delete(key);
      this.#open.delete(inFlight);
    }
  }
}

async function replyTo(request: ActiveRequest, connection: ServedConnection): Promise<FinalReply> {
  const methods = isModernVersion(request.version) ? modernMethods : legacyMethods;
  let reply: MethodReply;
  try {
    const method = methods.get(request.method);
    if (method === undefined)
      throw new AppError("unsupported", `The replica has no method ${request.method}.`);
    reply = await method.handle(request, connection);
  } catch (error) {
    reply = replyOfError(error);
  }
  return reply.kind === "input-required" ? encodedRound(reply, request.version) : reply;
}

type AskerReading = { readonly asker: Asker } | { readonly reply: FinalReply };

/** The headers of a modern request were compared where it arrived. */
function askerOf(
  { caller, params }: RelayedRequest,
  { session }: ServedConnection,
  lane: ReplyLane,
): AskerReading {
  if (caller.sessionId !== undefined) return { asker: session.legacyAsker(lane) };
  const meta = params?._meta;
  const reading = readEnvelope(isObject(meta) ? meta : {});
  if (reading.kind !== "fault") return { asker: session.modernAsker(reading.envelope) };
  return { reply: { kind: "fault", fault: reading.fault } };
}

/** The way back to the client through the replica at which its request arrived. The reply goes as the answer of a message. */
class RemoteLane implements ReplyLane {
  #underWay = 0;

  readonly #number: number;
  /** Present where the response may end before its time. */
  readonly closeEarly?: () => void;

  constructor(
    private readonly messages: Messages,
    private readonly to: string,
    { number, canClose }: RelayedRequest,
  ) {
    this.#number = number;
    if (!canClose) return;
    this.closeEarly = () => void messages.notify(to, relayKinds.close, number).catch(() => {});
  }

  get isCongested(): boolean {
    return this.#underWay >= messagesUnderWayMax;
  }

  send(text: string): void {
    this.#underWay += 1;
    const done = (): void => void (this.#underWay -= 1);
    const number = this.#number;
    this.messages.notify(this.to, relayKinds.message, { number, text }).then(done, done);
  }

  reply(): void {
    throw new Error("a relayed request is answered by its message");
  }
}

/** Principals that are remembered: each token of each principal is one. */
const rememberedMax = 10_000;

/** The principals of requests that arrived at other replicas, each the same object as long as it is the same. */
export class RelayedPrincipals {
  readonly #known = new Map<string, Principal>();
  readonly #all = new WeakSet<Principal>();

  /** One object for principals with equal rights: what is kept of a principal hangs on it. */
  known(principal: Principal): Principal {
    const key = rightsOf(principal);
    const known = this.#known.get(key) ?? principal;
    this.#known.delete(key);
    this.#known.set(key, known);
    this.#all.add(known);
    const [longest] = this.#known.keys();
    if (this.#known.size > rememberedMax && longest !== undefined) this.#known.delete(longest);
    return known;
  }

  has(principal: Principal): boolean {
    return this.#all.has(principal);
  }
}
