import { messageOf } from "../../base/errors.ts";
import { upstreamQuestionsPerCallMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { canBeAsked, type InputRequest, inputKindOf } from "../../protocol/input-request.ts";
import {
  createFault,
  errorCodes,
  isRequestId,
  type Params,
  type ProtocolFault,
} from "../../protocol/json-rpc.ts";
import {
  ConnectionError,
  type ConnectionEvents,
  type ConnectOptions,
  type QuestionOrigin,
} from "./connection.ts";
import type { Peer, CallHooks, PendingCall } from "./peer.ts";
import { readInputRequest } from "./read-reply.ts";
import { relatedTaskOf, withoutRelatedTask } from "./task-call.ts";

type Answer = { readonly result: Params } | { readonly error: ProtocolFault };
type Asking = NonNullable<CallHooks["asking"]>;
type Rights = Pick<ConnectOptions, "mayAsk" | "roots" | "servesSeveral">;

export type RequestEvents = Pick<ConnectionEvents, "onStray" | "onAsked">;

/**
 * Answers the requests of a legacy server. A question is passed to the client of the call that it belongs to, one after
 * the other, and never without a call (CA9). Every request gets an answer, and immediately when it is refused.
 */
export class ServerRequests {
  readonly #peer: Peer;
  readonly #rights: Rights;
  readonly #events: RequestEvents;

  constructor(peer: Peer, rights: Rights, events: RequestEvents) {
    this.#peer = peer;
    this.#rights = rights;
    this.#events = events;
  }

  /** @param origin the call on whose stream it came, if known */
  async take(request: Params, origin: PendingCall | undefined): Promise<void> {
    const { id, method } = request;
    if (!isRequestId(id))
      return this.#events.onStray(`A request of the server whose id is ${typeof id}.`);
    const answer = await this.#answer(String(method), request, origin);
    this.#peer.reply({ id, ...answer });
  }

  /**
   * Puts the question of a task to the client that made the call, like any other question.
   * @throws ConnectionError when the client cannot answer it
   */
  async askFor(asked: InputRequest, call: PendingCall): Promise<Params> {
    const answer = await this.#put(asked, call);
    if ("result" in answer) return answer.result;
    throw new ConnectionError("refused", answer.error.message);
  }

  async #answer(method: string, request: Params, origin: PendingCall | undefined): Promise<Answer> {
    if (method === "ping") return { result: {} };
    if (this.#peer.isModern || !askable.has(method))
      return refusal(errorCodes.methodNotFound, "Method not found");
    const { params } = request;
    const plain = isObject(params) ? { ...request, params: withoutRelatedTask(params) } : request;
    const asked = readInputRequest(plain);
    if (asked === undefined)
      return refusal(errorCodes.invalidParams, `Invalid params of ${method}`);
    return this.#put(asked, origin ?? this.#ofTask(params) ?? this.#guessed(asked));
  }

  /** The call of a request that does not say to which it belongs. */
  #guessed(asked: InputRequest): PendingCall | undefined {
    const call = this.#candidate(asked);
    // Folders are the same for all clients of a connection, so nobody waits for anybody because of them.
    if (asked.method !== "roots/list") this.#events.onAsked?.(this.#origin());
    return call;
  }

  #origin(): QuestionOrigin {
    const asking = this.#peer.calls.filter(({ hooks }) => hooks.asking !== undefined);
    const clients = new Set(asking.map(({ hooks }) => hooks.asking?.clientId));
    const [client, ...others] = clients;
    // A call that was left may go on; the next client's question would show whether that matters.
    if (clients.size === 0) return this.#peer.mayWorkForOthers(nobody) ? "running" : "nothing";
    // Serving one client at a time would show which of several it is.
    return others.length === 0 && this.#peer.mayWorkForOthers(client) ? "left" : "running";
  }

  /** @param call the call that it belongs to, if known */
  async #put(asked: InputRequest, call: PendingCall | undefined): Promise<Answer> {
    const { method } = asked;
    if (asked.method === "roots/list") return this.#answerRoots(asked, call);
    if (call === undefined) return this.#decline(asked);
    if (!this.#isAllowed(asked) || !canAnswer(asked, call)) {
      return refusal(errorCodes.invalidRequest, `${method} is not available in this call`);
    }
    return this.#ask(asked, call);
  }

  /** Without a call whose client can be asked, answers with the folders that this server was given. */
  async #answerRoots(asked: InputRequest, call: PendingCall | undefined): Promise<Answer> {
    const { roots } = this.#rights;
    if (roots === undefined) return refusal(errorCodes.methodNotFound, "Method not found");
    const mayAsk =
      roots.isAsked && call !== undefined && call.questions < upstreamQuestionsPerCallMax;
    if (mayAsk && canAnswer(asked, call)) return this.#ask(asked, call);
    return { result: { roots: roots.known() } };
  }

  async #ask(asked: InputRequest, call: PendingCall): Promise<Answer> {
    const { asking } = call.hooks;
    if (asking === undefined) return refusal(errorCodes.invalidRequest, notAsked);
    if (call.questions >= upstreamQuestionsPerCallMax) {
      const text = `Too many questions: at most ${upstreamQuestionsPerCallMax} in a call`;
      return refusal(errorCodes.invalidRequest, text);
    }
    call.questions += 1;
    return call.inTurn(() => this.#putNow(asked, call, asking));
  }

  async #putNow(asked: InputRequest, call: PendingCall, asking: Asking): Promise<Answer> {
    if (call.isOver) return refusal(errorCodes.invalidRequest, notAsked);
    call.noteAsking(true);
    try {
      return { result: await asking.ask(asked) };
    } catch (error) {
      return refusal(errorCodes.internalError, messageOf(error));
    } finally {
      call.noteAsking(false);
    }
  }

  #ofTask(params: unknown): PendingCall | undefined {
    const id = relatedTaskOf(params);
    return id === undefined ? undefined : this.#peer.calls.find(({ task }) => task?.id === id);
  }

  /**
   * The call that a request without an origin belongs to. Several calls are ambiguous: one person could get the
   * question of another, unless all calls are of the same client.
   */
  #candidate(asked: InputRequest): PendingCall | undefined {
    const candidates = this.#peer.calls.filter(({ hooks }) => hooks.asking !== undefined);
    const [first, ...others] = candidates;
    const clientId = first?.hooks.asking?.clientId;
    const isTheirs = ({ hooks }: PendingCall): boolean => hooks.asking?.clientId === clientId;
    if (others.length > 0 && (clientId === undefined || !others.every(isTheirs))) return undefined;
    if (this.#rights.servesSeveral === true && this.#peer.mayWorkForOthers(clientId))
      return undefined;
    return candidates.find((call) => canAnswer(asked, call) && !call.isAsking) ?? first;
  }

  #decline(asked: InputRequest): Answer {
    const isAmbiguous = this.#peer.calls.some(({ hooks }) => hooks.asking !== undefined);
    if (!isAmbiguous) return refusal(errorCodes.invalidRequest, notAsked);
    if (asked.method === "elicitation/create") return { result: { action: "decline" } };
    return refusal(
      errorCodes.invalidRequest,
      "Several calls are running, and the request belongs to none in particular",
    );
  }

  #isAllowed(asked: InputRequest): boolean {
    const { mayAsk } = this.#rights;
    return asked.method === "elicitation/create" ? mayAsk.elicitation : mayAsk.sampling;
  }
}

const askable: ReadonlySet<string> = new Set([
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
]);
/** No client has this id. */
const nobody = "";
const notAsked = "No call is running that this could belong to";

/** A client that has no forms but another way to ask the user (CA10) declares that in the capabilities of the call. */
function canAnswer(asked: InputRequest, { hooks }: PendingCall): boolean {
  return hooks.asking !== undefined && canBeAsked(hooks.asking.capabilities, inputKindOf(asked));
}

function refusal(code: number, message: string): Answer {
  return { error: createFault(code, message) };
}
