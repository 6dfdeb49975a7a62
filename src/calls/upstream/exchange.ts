import { Cancellation, startTimer, type Timer } from "../../base/cancellation.ts";
import { randomHex } from "../../base/digests.ts";
import { AppError } from "../../base/errors.ts";
import { requestStateMsMax } from "../../base/limits.ts";
import { parseOwnJson, type Writable } from "../../base/values.ts";
import { upstreamAsksMax, upstreamSuspendedMax } from "../../base/upstream-limits.ts";
import {
  type ClientCapabilities,
  noClientCapabilities,
} from "../../protocol/client-capabilities.ts";
import type { SavedOutputRecord } from "../../commands/background/client-tasks.ts";
import type { InputRequest, InputRequests, InputResponses } from "../../protocol/input-request.ts";
import { createFault, errorCodes, type LogLevel, type Params } from "../../protocol/json-rpc.ts";
import type { ServerRights } from "../../upstream/snapshot.ts";
import type {
  SavedResultRecord,
  UpstreamCall,
  UpstreamCallEvents,
  UpstreamReply,
  Upstreams,
} from "../../upstream/upstreams.ts";
import { FaultError, InputNeeded } from "../ask-client.ts";
import type { CallRequest, ProgressUpdate } from "../call.ts";
import type { CallWatcher } from "../gate/gate-stage.ts";
import { answerAsks, type AnswerParts } from "./answer-asks.ts";

/** A request to an upstream server. */
export interface ExchangeSpec extends Pick<UpstreamCall, "server" | "method" | "params"> {
  readonly rights: ServerRights;
  readonly resultCharsMax: number;
  readonly promisesStructure?: boolean;
}

function titleOf({ server, method, params: { name, uri } }: ExchangeSpec): string {
  const what = [name, uri].find((part) => typeof part === "string") ?? method;
  return `${what} of the MCP server ${server}`;
}

/** How it ended. */
export type ExchangeEnd = Exclude<UpstreamReply, { kind: "input-required" }>;

/** The subject of a request: a request about another one must not get this server's answers. */
function subjectOf({ server, method, params }: ExchangeSpec): string {
  return JSON.stringify([server, method, params.name, params.uri]);
}

/** It asks without end. */
function tooManyAsks(server: string): ExchangeEnd {
  const text = `${server} asks the user again and again: the call was given up after ${upstreamAsksMax} questions.`;
  return { kind: "failed", text, reason: "malformed" };
}

export interface ExchangeParts extends AnswerParts {
  readonly upstreams: Pick<Upstreams, "call">;
  readonly suspended: SuspendedCalls;
  /** Makes an output that was cut a background task of its client. @returns the id of the task */
  readonly addOutput: (clientId: string, output: SavedOutputRecord) => number;
  /** Notified of requests that are not tool calls, which do not pass the gate. */
  readonly watchers: readonly CallWatcher[];
}

/** A question of a legacy server in the middle of its work. */
interface PendingAsk {
  readonly request: InputRequest;
  readonly resolve: (answer: Params) => void;
  readonly reject: (error: unknown) => void;
}

/** The key under which the one question of a legacy server is put to a client. */
const onlyKey = "question";

/**
 * One request to an upstream server from its start to its answer, with all requests of the server meanwhile, in each of the
 * four pairs of eras (docs/spec/gateway.md#questions). A modern client leaves and comes back: then it continues
 * where it stopped, for the new call.
 */
export class Exchange implements UpstreamCallEvents {
  readonly #parts: ExchangeParts;
  readonly #spec: ExchangeSpec;
  /** Cancelled when nobody wants the answer any more, and at the end. */
  readonly #until = new Cancellation();
  readonly #abandon = (): void => this.#until.cancel();
  /** Lines for the end of the result. */
  readonly notes: string[] = [];
  #call: CallRequest;
  #id: string | undefined;
  #reply: Promise<UpstreamReply> | undefined;
  /** The requests in this call so far, in order, the pending one included. */
  readonly #asked: InputRequests[] = [];
  #pending: PendingAsk | undefined;
  /** Hears the next question; absent while nobody waits for the answer of the server. */
  #onAsk: ((pending: PendingAsk) => void) | undefined;
  /** A question that nobody has heard yet. */
  #unheard: PendingAsk | undefined;
  /** Gets progress when the client was answered otherwise. */
  #tellStep: ((step: string) => void) | undefined;

  /** @param call whose client is asked */
  constructor(parts: ExchangeParts, spec: ExchangeSpec, call: CallRequest) {
    this.#parts = parts;
    this.#spec = spec;
    this.#call = call;
  }

  /** The exchange of a call that its client makes again with answers, else a new one. @throws FaultError */
  static of(parts: ExchangeParts, spec: ExchangeSpec, call: CallRequest): Exchange {
    const found = parts.suspended.take(call);
    if (found === undefined) return new Exchange(parts, spec, call);
    if (subjectOf(found.#spec) !== subjectOf(spec)) {
      found.abandon();
      throw goneFault();
    }
    found.#call = call;
    return found;
  }

  get server(): string {
    return this.#spec.server;
  }

  /** @throws InputNeeded and FaultError to be let through, AppError `cancelled` when the call is */
  async run(): Promise<ExchangeEnd> {
    const { cancellation } = this.#call;
    cancellation.onCancel(this.#abandon);
    try {
      const end = await (this.#pending === undefined ? this.#begin() : this.#resume(this.#pending));
      this.#until.cancel();
      return end;
    } catch (error) {
      return this.#endOf(error);
    } finally {
      this.#onAsk = undefined;
      cancellation.offCancel(this.#abandon);
    }
  }

  /** A client that is asked in rounds is away now, and its call waits; whatever else went wrong, that server need not go on. */
  #endOf(error: unknown): ExchangeEnd {
    const { cancellation, client } = this.#call;
    if (error instanceof InputNeeded && this.#pending !== undefined && this.#id !== undefined) {
      this.#parts.suspended.suspend(this.#id, client.id, this);
      throw error;
    }
    this.abandon();
    if (!(error instanceof AppError) || cancellation.isCancelled) throw error;
    const { server } = this.#spec;
    return { kind: "failed", text: `${server}: ${error.message}`, reason: "blocked" };
  }

  /** The answer is no longer wanted: sends that server a cancellation. */
  abandon(): void {
    this.#abandon();
  }

  /** The client got another answer, and reads the result later; `tellStep` receives the progress until then. */
  markAnswered(tellStep: (step: string) => void): void {
    this.#tellStep = tellStep;
  }

  get #isAnswered(): boolean {
    return this.#tellStep !== undefined;
  }

  /** Rounds of a modern server that the client has brought back are answered first, in their order. */
  async #begin(): Promise<ExchangeEnd> {
    const rounds = [...earlierRounds(this.#call, () => subjectOf(this.#spec))];
    let answers: InputResponses | undefined;
    for (const { requests } of rounds) answers = await this.#answer(requests);
    for (;;) {
      this.#reply = this.#send(answers, rounds.at(-1)?.requestState);
      const reply = await this.#replyOrAsks();
      if (reply.kind !== "input-required") return reply;
      if (rounds.length >= upstreamAsksMax) return tooManyAsks(this.#spec.server);
      const { kind: _, ...asked } = reply;
      const round = { subject: subjectOf(this.#spec), ...asked };
      rounds.push(round);
      keepRound(this.#call, round);
      answers = await this.#answer(reply.requests);
    }
  }

  /** The client is back: it is asked the same questions, of which that server has the answers to all but the last. */
  async #resume(pending: PendingAsk): Promise<ExchangeEnd> {
    for (const requests of this.#asked.slice(0, -1)) {
      await this.#answer(requests).catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
    }
    await this.#answerPending(pending);
    const reply = await this.#replyOrAsks();
    return reply.kind === "input-required" ? tooManyAsks(this.#spec.server) : reply;
  }

  #send(inputResponses: InputResponses | undefined, requestState?: string): Promise<UpstreamReply> {
    const { rights, server, method, params, resultCharsMax, promisesStructure } = this.#spec;
    const { client, onProgress, version } = this.#call;
    const call: Writable<UpstreamCall> = {
      server,
      method,
      params,
      resultCharsMax,
      clientId: client.id,
      capabilities: askableOf(this.#call, rights),
      // It may be read in the background one day.
      wantsProgress: onProgress !== undefined || (rights.handover && client.limits.answerMs > 0),
      version,
      timeoutMs: rights.timeoutMs,
    };
    if (promisesStructure !== undefined) call.promisesStructure = promisesStructure;
    if (client.workspaceName !== undefined) call.workspace = client.workspaceName;
    if (client.owner !== undefined) call.owner = client.owner;
    const identity = rights.tradesIdentity === true ? client.identity?.() : undefined;
    if (identity !== undefined) call.identity = identity;
    if (inputResponses !== undefined) call.inputResponses = inputResponses;
    if (requestState !== undefined) call.requestState = requestState;
    return this.#parts.upstreams.call(call, this, this.#until);
  }

  onProgress(...step: Step): void {
    this.#tellStep?.(stepText(...step));
    this.#call.onProgress?.(progressUpdate(...step));
  }

  log(level: LogLevel, data: unknown, logger: string | undefined): void {
    const { server } = this.#spec;
    this.#call.log?.(level, data, logger === undefined ? server : `${server}/${logger}`);
  }

  /** Makes a result that was cut a background task of its client. */
  async keep(output: SavedResultRecord): Promise<number> {
    return this.#parts.addOutput(this.#call.client.id, { ...output, title: titleOf(this.#spec) });
  }

  /** At most one question at a time, and a few in all (CA9). */
  ask(request: InputRequest): Promise<Params> {
    if (this.#pending !== undefined || this.#asked.length >= upstreamAsksMax) {
      const message = `${this.#spec.server} asks too much in one call.`;
      return Promise.reject(new AppError("limit", message));
    }
    const { promise, resolve, reject } = Promise.withResolvers<Params>();
    this.#pending = { request, resolve, reject };
    this.#asked.push({ [onlyKey]: request });
    if (this.#onAsk === undefined) this.#unheard = this.#pending;
    else this.#onAsk(this.#pending);
    return promise;
  }

  /** The reply; questions meanwhile are answered beside it. @throws InputNeeded where one ends the call */
  #replyOrAsks(): Promise<UpstreamReply> {
    const { promise, resolve, reject } = Promise.withResolvers<UpstreamReply>();
    if (this.#reply === undefined) reject(new AppError("cancelled", "The call was not made."));
    else this.#reply.then(resolve, reject);
    this.#onAsk = (pending) => void this.#answerPending(pending).catch(reject);
    const unheard = this.#unheard;
    this.#unheard = undefined;
    if (unheard !== undefined) this.#onAsk(unheard);
    return promise;
  }

  /** A client that is asked in rounds ends this call with the question; of others the answer is waited for beside it. */
  async #answerPending(pending: PendingAsk): Promise<void> {
    const { ask } = this.#call;
    const endsCall = ask?.endsCall === true && !this.#isAnswered;
    if (endsCall) this.#id ??= this.#parts.suspended.name(this.#call);
    const answering = this.#answer({ [onlyKey]: pending.request }).then(
      (answers) => this.#settle(pending, () => pending.resolve(answers[onlyKey] ?? {})),
      (error: unknown) => {
        if (endsCall && error instanceof InputNeeded) throw error;
        this.#settle(pending, () => pending.reject(error));
      },
    );
    // The user may take longer to answer than that server waits.
    answering.catch(() => {});
    if (endsCall) await Promise.race([answering, this.#reply]);
  }

  #settle(pending: PendingAsk, settle: () => void): void {
    if (this.#pending === pending) this.#pending = undefined;
    settle();
  }

  #answer(requests: InputRequests): Promise<InputResponses> {
    const { server, rights } = this.#spec;
    const note = (line: string): void => {
      if (!this.notes.includes(line)) this.notes.push(line);
    };
    const isAnswered = this.#isAnswered;
    const occasion = { server, rights, call: this.#call, isAnswered, until: this.#until, note };
    return answerAsks(this.#parts, occasion, requests);
  }
}

interface Suspended {
  readonly exchange: Exchange;
  readonly clientId: string;
  readonly timer: Timer;
}

const anyMark = "upstream-call";

/**
 * Calls to servers of the legacy era that wait for a client of the modern one: the server asked in the middle of its
 * work, our call has ended with the question, and the client comes back. Its state names the call; being sealed, it
 * opens for the same client and the same parameters only.
 */
export class SuspendedCalls implements Disposable {
  /** Oldest first. */
  readonly #entries = new Map<string, Suspended>();

  /** A new name for a call, told to its client with the next question. */
  name({ ask }: CallRequest): string {
    const id = randomHex(16);
    if (ask?.isMarked?.(anyMark) !== true) ask?.mark?.(anyMark);
    ask?.mark?.(markOf(id));
    return id;
  }

  /** The client has been asked: its call waits under the name that it was given. */
  suspend(id: string, clientId: string, exchange: Exchange): void {
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= upstreamSuspendedMax && oldest !== undefined) this.#abandon(oldest);
    const timer = startTimer(requestStateMsMax, () => this.#abandon(id));
    this.#entries.set(id, { exchange, clientId, timer });
  }

  /**
   * The exchange of a call that is made again, which is this call's from now on; undefined for a call that is new.
   * @throws FaultError -32602 when it is gone: the work done so far must not be repeated unasked
   */
  take({ ask, client }: CallRequest): Exchange | undefined {
    if (ask?.isMarked?.(anyMark) !== true) return undefined;
    for (const [id, { exchange, clientId, timer }] of this.#entries) {
      if (clientId !== client.id || !ask.isMarked(markOf(id))) continue;
      timer.stop();
      this.#entries.delete(id);
      return exchange;
    }
    throw goneFault();
  }

  endClient(clientId: string): void {
    for (const [id, entry] of this.#entries) if (entry.clientId === clientId) this.#abandon(id);
  }

  [Symbol.dispose](): void {
    for (const id of this.#entries.keys()) this.#abandon(id);
  }

  #abandon(id: string): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    entry?.timer.stop();
    entry?.exchange.abandon();
  }
}

/** The work done so far cannot be continued, and is not repeated unasked. */
function goneFault(): FaultError {
  const message =
    "Invalid params: requestState is of a call that does not wait any more; make the call again without it";
  return new FaultError(createFault(errorCodes.invalidParams, message));
}

function markOf(id: string): string {
  return `${anyMark}:${id}`;
}

/** The requests of a modern server in one round of a call, and the state that it sent with them. */
interface UpstreamRound {
  /** Which server was asked for what. */
  readonly subject: string;
  readonly requests: InputRequests;
  /** The state of the server that asks, byte for byte. */
  readonly requestState?: string;
}

const roundMark = "upstream-round:";

/**
 * The rounds of a call that its client has returned, sealed in scorpiox-code's own state; the last one is to be answered.
 * @throws FaultError when they are of a different upstream server: an alias may have come to mean another tool meanwhile
 */
function earlierRounds({ ask }: CallRequest, subject: () => string): readonly UpstreamRound[] {
  // Only this program can have sealed them.
  const rounds = (ask?.marksWith?.(roundMark) ?? []).map((text) =>
    parseOwnJson<UpstreamRound>(text),
  );
  // Most calls have none, and are not to pay for the text.
  if (rounds.length === 0) return rounds;
  const wanted = subject();
  if (rounds.some((round) => round.subject !== wanted)) throw goneFault();
  return rounds;
}

/** Lets the next request of the client know of this round: nothing of it is kept here. */
function keepRound({ ask }: CallRequest, round: UpstreamRound): void {
  if (ask?.endsCall === true) ask.mark?.(roundMark + JSON.stringify(round));
}

/** The kinds of requests of that server that can be answered. */
function askableOf(
  { capabilities = noClientCapabilities, client }: CallRequest,
  rights: Pick<ServerRights, "sampling" | "elicitation" | "roots">,
): ClientCapabilities {
  const elicits = rights.elicitation !== "deny";
  const samples = rights.sampling !== "deny";
  return {
    elicitationForm: elicits && (capabilities.elicitationForm || client.isRemote !== true),
    elicitationUrl: elicits && capabilities.elicitationUrl,
    sampling: samples && capabilities.sampling,
    samplingTools: samples && capabilities.samplingTools,
    roots: rights.roots !== "none",
    tasks: false,
    ...(capabilities.apps === undefined ? {} : { apps: capabilities.apps }),
  };
}

/** Progress as an upstream server reports it. */
type Step = readonly [progress: number, total: number | undefined, message: string | undefined];

function progressUpdate(...[progress, total, message]: Step): ProgressUpdate {
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Progress in words. */
function stepText(...[progress, total, message = ""]: Step): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === "" ? count : `${count}: ${message}`;
}
