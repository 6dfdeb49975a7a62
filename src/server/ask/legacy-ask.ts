import { assertNotAborted, Cancellation } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { askMsMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import type { AskClient, AskOptions } from "../../calls/ask-client.ts";
import {
  canBeAsked,
  type InputKind,
  type InputRequest,
  type InputRequests,
  type InputResponses,
  kindsLacking,
} from "../../protocol/input-request.ts";
import { shapeInputRequest, upgradeContent } from "../../protocol/input-request-codec.ts";
import { readInputResponse } from "../../protocol/input-response-checks.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { isAtLeast, type ProtocolVersion } from "../../protocol/message.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { Outbox } from "../connection/replies.ts";
import type { ServedConnection } from "../context/server-context.ts";

/** Asks by requests of our own, on the lane of the request that needs the answers (SH9). */
export class LegacyAsk implements AskClient {
  readonly #request: ActiveRequest;
  readonly #connection: ServedConnection;

  readonly #msMax: number;

  constructor(request: ActiveRequest, connection: ServedConnection, msMax: number = askMsMax) {
    this.#request = request;
    this.#connection = connection;
    this.#msMax = msMax;
  }

  can(kind: InputKind): boolean {
    const { asker } = this.#request;
    return this.#connection.session.isInitialized && canBeAsked(asker.capabilities, kind);
  }

  /** All requests go out together; the first that fails takes the others back. */
  async ask(requests: InputRequests, options: AskOptions = {}): Promise<InputResponses> {
    const wanted = options.until ?? this.#request.cancellation;
    assertNotAborted(wanted);
    this.#assertCanAsk(requests);
    const msMax = options.until === undefined ? this.#msMax : Number.POSITIVE_INFINITY;
    const askedAt = performance.now();
    const asking = new Cancellation();
    const stop = (): void => asking.cancel();
    wanted.onCancel(stop);
    try {
      const pending = Object.entries(requests).map(
        async ([key, each]) => [key, await this.#askOne(each, asking, msMax)] as const,
      );
      const answers = Object.fromEntries(await Promise.all(pending));
      options.onTook?.(performance.now() - askedAt);
      return answers;
    } finally {
      wanted.offCancel(stop);
      stop();
    }
  }

  #assertCanAsk(requests: InputRequests): void {
    const lacking = kindsLacking(requests, (kind) => this.can(kind));
    if (lacking.length === 0) return;
    const reason = this.#connection.session.isInitialized
      ? `did not declare that it can be asked for: ${lacking.join(", ")}`
      : "has not sent notifications/initialized and cannot be asked before";
    throw new AppError("unsupported", `The client ${reason}.`);
  }

  async #askOne(request: InputRequest, asking: Cancellation, msMax: number): Promise<Params> {
    const { version } = this.#request;
    const { method, params } = shapeInputRequest(request, version);
    const { clientRequests } = this.#connection;
    const lane = this.#lane();
    const result = await clientRequests.request(lane, method, params, msMax, asking);
    const reading = readInputResponse(request, restored(request, result, version));
    if (reading.kind === "answer") return reading.answer;
    throw new AppError(
      "usage",
      `The client's answer to ${method} is malformed: ${reading.problem}.`,
    );
  }

  /** A question that outlives its call is taken back where that call's lane is closed already. */
  #lane(): Outbox {
    const request = this.#request;
    const current = (): Outbox => (request.isAnswered ? this.#connection.outbox : request.lane);
    return {
      get isCongested() {
        return current().isCongested;
      },
      send: (text) => current().send(text),
    };
  }
}

/** The answer to a form that had to be made simpler, as the form would have had it. */
function restored(request: InputRequest, result: unknown, version: ProtocolVersion): unknown {
  if (request.method !== "elicitation/create" || isAtLeast(version, "2025-11-25")) return result;
  const { params } = request;
  if (params.mode === "url" || !isObject(result)) return result;
  return { ...result, content: upgradeContent(params.requestedSchema, result.content) };
}
