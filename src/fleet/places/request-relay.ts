import { AppError, messageOf } from "../../base/errors.ts";
import { heldPrincipalsMax, relayedRequestMsMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import { createFault, errorCodes, type Params } from "../../protocol/json-rpc.ts";
import { metaOf } from "../../protocol/message.ts";
import type { ActiveRequest } from "../../server/connection/active-request.ts";
import type { Caller, Elsewhere } from "../../server/connection/elsewhere.ts";
import {
  cancelledReply,
  faultReply,
  type MethodReply,
  type ReplyLane,
} from "../../server/connection/replies.ts";
import type { Holders } from "../replicas/holders.ts";
import { type Messages, ReplicaGoneError } from "../replicas/messages.ts";
import type { Replica } from "../replicas/replica.ts";
import type { HeldState } from "./held-state.ts";
import { hasPlace } from "./placed-requests.ts";
import { encodeRequest, readMessage, relayKinds } from "./relay-messages.ts";

/** Replicas that go before they begin a request: with that many in a row there is none that stays. */
const attemptsMax = 5;

export interface RelayParts {
  readonly replica: Replica;
  readonly holders: Holders;
  readonly messages: Messages;
  readonly held: HeldState;
  readonly warn: (message: string) => void;
}

/**
 * The replica at which a request arrives: one that has a place runs where its principal's workspace, processes and MCP servers
 * are, and its messages and its reply come back to the response that waits here (FL3).
 */
export class RequestRelay implements Elsewhere, Disposable {
  readonly #parts: RelayParts;
  /** Requests that run elsewhere, by their number. */
  readonly #away = new Map<number, { readonly lane: ReplyLane; hasBegun: boolean }>();
  /**
   * The principals that are held here, the one that was silent for longest first: nobody takes them while this replica lives.
   * Each resolves when their state is here.
   */
  readonly #own = new Map<string, Promise<void>>();
  readonly #stops: readonly (() => void)[];
  #lastNumber = 0;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    const { messages, replica } = parts;
    const forget = (): void => this.#own.clear();
    this.#stops = [
      messages.handle(relayKinds.message, (body) => this.#receive(body)),
      messages.handle(relayKinds.close, async (body) => this.#close(Number(body))),
      messages.handle(relayKinds.begun, async (body) => this.#begun(Number(body))),
      replica.onFence(forget),
      replica.onNewPlace(forget),
      replica.onGone(() => void this.takeOver()),
    ];
  }

  /** Takes over principals whose replica is gone: their callbacks fire without a call. Never rejects. */
  async takeOver(): Promise<void> {
    try {
      for (const id of await this.#parts.held.principals()) await this.#holderOf(id);
    } catch {
      // Without the engine nobody takes over anything; each is taken over with their next request.
    }
  }

  handle(
    request: ActiveRequest,
    caller: Caller,
    here: () => MethodReply | Promise<MethodReply>,
  ): Promise<MethodReply> | undefined {
    if (!hasPlace(request)) return undefined;
    return this.#handle(request, caller, here);
  }

  /** From now on others take over what is held here: this replica goes. */
  async leave(): Promise<void> {
    await this.#parts.holders.leave();
    this.#own.clear();
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  async #handle(
    request: ActiveRequest,
    caller: Caller,
    here: () => MethodReply | Promise<MethodReply>,
  ): Promise<MethodReply> {
    try {
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        const holder = await this.#holderOf(caller.principal.id);
        if (request.isCancelled) return cancelledReply;
        if (holder === undefined) return await this.#runHere(request, caller, here);
        const reply = await this.#relay(holder, request, caller);
        if (reply !== undefined) return reply;
      }
      throw new AppError(
        "system",
        "The replica of this user goes, and no other one has taken over. Try again.",
      );
    } catch (error) {
      if (request.isCancelled) return cancelledReply;
      if (!(error instanceof AppError)) throw error;
      return faultReply(createFault(errorCodes.internalError, error.message));
    }
  }

  async #runHere(
    request: ActiveRequest,
    caller: Caller,
    here: () => MethodReply | Promise<MethodReply>,
  ): Promise<MethodReply> {
    const { held } = this.#parts;
    held.note(request.client.id, caller.principal.id);
    const reply = await here();
    // A state that the client has seen is not lost with this replica.
    await held.flushed();
    return reply;
  }

  /** Undefined: this replica. @throws SharedEngineError */
  async #holderOf(principalId: string): Promise<string | undefined> {
    const { replica, holders } = this.#parts;
    const taken = replica.isFenced ? undefined : this.#own.get(principalId);
    if (taken !== undefined) {
      this.#own.delete(principalId);
      this.#own.set(principalId, taken);
      await taken;
      return undefined;
    }
    const holder = await holders.holderOf(`principal ${principalId}`);
    if (!replica.isOwn(holder)) return holder;
    await this.#take(principalId);
    return undefined;
  }

  #take(principalId: string): Promise<void> {
    // Another request may have been quicker.
    const taken = this.#own.get(principalId) ?? this.#parts.held.take(principalId);
    const [longest] = this.#own.keys();
    if (this.#own.size >= heldPrincipalsMax && longest !== undefined) this.#own.delete(longest);
    this.#own.set(principalId, taken);
    taken.catch((error: unknown) => {
      this.#own.delete(principalId);
      this.#parts.warn(
        `the state of a user whose replica is gone was not taken over: ${messageOf(error)}`,
      );
    });
    return taken;
  }

  /** Undefined when the holder has gone, or goes, before it began: nothing has run. */
  async #relay(
    holder: string,
    request: ActiveRequest,
    caller: Caller,
  ): Promise<MethodReply | undefined> {
    const { messages } = this.#parts;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    const away = { lane: request.lane, hasBegun: false };
    this.#away.set(number, away);
    request.onEndGracefully(
      () => void messages.notify(holder, relayKinds.end, number).catch(() => {}),
    );
    const { observed } = request.lane;
    if (observed !== undefined) observed.replica = holder;
    const { id, method, cancellation } = request;
    const canClose = request.lane.closeEarly !== undefined;
    const params = withTrace(request.params, observed?.ownTraceparent);
    const body = encodeRequest({ number, caller, id, method, params, canClose });
    try {
      const options = { msMax: relayedRequestMsMax, cancellation };
      const reply = await messages.request(holder, relayKinds.request, body, options);
      return replyIn(reply);
    } catch (error) {
      if (!away.hasBegun && isGone(error)) {
        if (observed !== undefined) observed.replica = undefined;
        return undefined;
      }
      throw new AppError("system", lostText(holder, messageOf(error), away.hasBegun));
    } finally {
      this.#away.delete(number);
    }
  }

  /** A message of a request that is over, or was never here, is dropped. */
  async #receive(body: unknown): Promise<void> {
    const { number, text } = readMessage(body);
    this.#away.get(number)?.lane.send(text);
  }

  #close(number: number): void {
    this.#away.get(number)?.lane.closeEarly?.();
  }

  #begun(number: number): void {
    const away = this.#away.get(number);
    if (away !== undefined) away.hasBegun = true;
  }
}

/** The parameters with the span of this replica as the parent of the holder's. */
function withTrace(
  params: Params | undefined,
  traceparent: string | undefined,
): Params | undefined {
  if (traceparent === undefined) return params;
  return { ...params, _meta: { ...metaOf(params), traceparent } };
}

/** The replica is gone, or goes: it takes no more requests. */
function isGone(error: unknown): boolean {
  return (
    error instanceof ReplicaGoneError || (error instanceof AppError && error.code === "cancelled")
  );
}

function lostText(holder: string, reason: string, hasBegun: boolean): string {
  const outcome = hasBegun
    ? "It may or may not have run: check before you repeat it."
    : "It has not run: repeat it.";
  return `The call was handed to the replica ${holder}, which has the workspace of this user. ${reason} ${outcome}`;
}

/** Another replica may have another version of the program. */
function replyIn(reply: unknown): MethodReply {
  if (
    isObject(reply) &&
    (reply.kind === "result" || reply.kind === "fault" || reply.kind === "cancelled")
  )
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `RelayedRequests` answers with a `FinalReply`
    return reply as unknown as MethodReply;
  throw new AppError("unsupported", "The reply has a form that is not known here.");
}
