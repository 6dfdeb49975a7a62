import {
  type AskClient,
  type AskOptions,
  FaultError,
  InputNeeded,
} from "../../calls/ask-client.ts";
import {
  canBeAsked,
  cannotBeAsked,
  type InputKind,
  type InputRequest,
  type InputRequests,
  type InputResponses,
  kindsLacking,
} from "../../protocol/input-request.ts";
import { readInputResponse } from "../../protocol/input-response-checks.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { canonicalJson } from "../../base/values.ts";
import type { ActiveRequest, BroughtRounds, Round } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { digestOf, sealRounds } from "./state-seal.ts";

/**
 * Asks by ending the request: the handler runs again from its start when the client comes back, and its n-th
 * `ask` is answered from the n-th round that the client brought along (docs/spec/modern.md#questions).
 */
export class ReplayedAsk implements AskClient {
  readonly #request: ActiveRequest;
  readonly #connection: ServedConnection;
  readonly #brought: BroughtRounds;
  /** One for each `ask` so far. */
  readonly #rounds: Round[] = [];
  /** Rounds have an order: one `ask` after the other, even if a handler does not wait. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(request: ActiveRequest, connection: ServedConnection) {
    this.#request = request;
    this.#connection = connection;
    this.#brought = request.brought ?? { rounds: [], responses: {}, arrivedAt: Date.now() };
  }

  get endsCall(): boolean {
    return true;
  }

  get isReplaying(): boolean {
    return this.#brought.rounds.length > this.#rounds.length;
  }

  can(kind: InputKind): boolean {
    return canBeAsked(this.#request.asker.capabilities, kind);
  }

  /** @throws FaultError -32021 when the client did not declare one of them */
  ask(requests: InputRequests, options: AskOptions = {}): Promise<InputResponses> {
    const turn = this.#turn.then(() => this.#ask(requests, options));
    this.#turn = turn;
    return turn;
  }

  async #ask(requests: InputRequests, { onTook }: AskOptions): Promise<InputResponses> {
    if (Object.keys(requests).length === 0) return {};
    const lacking = kindsLacking(requests, (kind) => this.can(kind));
    if (lacking.length > 0) throw new FaultError(cannotBeAsked(lacking));
    const asked = await digestsOf(requests);
    const answers = this.#answersTo(requests, asked);
    const missing = Object.entries(requests).filter(([key]) => !Object.hasOwn(answers, key));
    const isAnswered = missing.length === 0;
    const tookMs = isAnswered ? this.#tookMs() : undefined;
    this.#rounds.push({
      asked,
      answers,
      askedAt: Date.now(),
      ...(tookMs === undefined ? {} : { tookMs }),
    });
    if (tookMs !== undefined) onTook?.(tookMs);
    if (isAnswered) return answers;
    const { server } = this.#connection;
    const state = await sealRounds(this.#rounds, this.#request, server, Date.now());
    throw new InputNeeded(Object.fromEntries(missing), state);
  }

  /** How long the answers to this `ask` took: as it was when they came. Unknown for answers that came without a state. */
  #tookMs(): number | undefined {
    const { rounds, arrivedAt } = this.#brought;
    const round = rounds[this.#rounds.length];
    if (round === undefined) return undefined;
    return round.tookMs ?? Math.max(0, arrivedAt - round.askedAt);
  }

  /** The good answers to this `ask`: kept from earlier rounds, or new. */
  #answersTo(requests: InputRequests, asked: Round["asked"]): InputResponses {
    const entries = Object.entries(requests).flatMap(([key, request]) => {
      const answer = this.#answerTo(key, request, asked[key]);
      return answer === undefined ? [] : [[key, answer] as const];
    });
    return Object.fromEntries(entries);
  }

  #answerTo(key: string, request: InputRequest, digest: string | undefined): Params | undefined {
    const { rounds, responses } = this.#brought;
    const position = this.#rounds.length;
    const round = rounds[position];
    // Without a state nothing is known to have been asked: answers are for the first `ask` then.
    const wasAsked =
      round === undefined
        ? rounds.length === 0 && position === 0
        : own(round.asked, key) === digest;
    if (!wasAsked) return undefined;
    const kept = round === undefined ? undefined : own(round.answers, key);
    if (kept !== undefined || position < rounds.length - 1) return kept;
    const reading = readInputResponse(request, own(responses, key));
    return reading.kind === "answer" ? reading.answer : undefined;
  }
}

async function digestsOf(requests: InputRequests): Promise<Round["asked"]> {
  const entries = Object.entries(requests).map(async ([key, request]) => {
    const digest = await digestOf(canonicalJson(essenceOf(request)));
    return [key, digest.toString("base64url")] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The request that a person agreed to. The address of a page may differ each time: it is made for one visit. */
function essenceOf(request: InputRequest): unknown {
  if (request.method !== "elicitation/create" || request.params.mode !== "url") return request;
  const { mode, message } = request.params;
  return { mode, message };
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
