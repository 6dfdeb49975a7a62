import { startTimer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { mcpTaskTtlMsDefault, terminateGraceMs } from "../../base/limits.ts";
import { isObject, ownValue } from "../../base/values.ts";
import { createFault, errorCodes, type ProtocolFault } from "../../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../../protocol/message.ts";
import { badArguments, encodeCallToolResult } from "../../protocol/result-codec.ts";
import type { CallToolResult, ContentBlock } from "../../protocol/tool-types.ts";
import { parseSearchArguments } from "../../upstream/search/gateway-tools.ts";
import type { FailureReason, Upstreams } from "../../upstream/upstreams.ts";
import { tryBecomeTask } from "../become-task.ts";
import type { ToolTarget } from "../call-target.ts";
import type { AfterStages, CallOutcome, CallRequest } from "../call.ts";
import { promisesStructure } from "../resolved-call.ts";
import { withLinesAbout } from "../gate/result-lines.ts";
import { Exchange, type ExchangeEnd, type ExchangeParts, type ExchangeSpec } from "./exchange.ts";
import { foreignFault, pagesWanted } from "./foreign-requests.ts";
import { handOver, type HandOverParts } from "./handed-over.ts";
import { invalidText } from "./upstream-stage.ts";

export interface UpstreamCallsParts extends ExchangeParts, HandOverParts {
  readonly upstreams: Pick<Upstreams, "call" | "search">;
}

const asIs: AfterStages = (outcome) => Promise.resolve(outcome);

/** Makes the calls of upstream tools, within the time that the client has. */
export class UpstreamCalls {
  readonly #parts: UpstreamCallsParts;

  constructor(parts: UpstreamCallsParts) {
    this.#parts = parts;
  }

  /**
   * Makes a call that has a target.
   * @throws InputNeeded and FaultError to be let through
   */
  call(request: CallRequest, afterStages: AfterStages = asIs): Promise<CallOutcome> {
    const { target } = request;
    switch (target?.kind) {
      case "tool":
        return this.#callTool(request, target, afterStages);
      case "search":
        return this.#search(request);
      // A stage of the gate has refused these.
      case "blocked":
      case "unresolved":
      case undefined: {
        const text = target?.text ?? `Unknown tool: ${request.name.slice(0, 100)}`;
        const fault = createFault(errorCodes.invalidParams, text);
        return Promise.resolve({ kind: "fault", fault });
      }
    }
  }

  /** As a promise that is handed on, not awaited: each await costs every call another turn. */
  #callTool(
    request: CallRequest,
    target: ToolTarget,
    afterStages: AfterStages,
  ): Promise<CallOutcome> {
    let exchange: Exchange;
    try {
      exchange = Exchange.of(this.#parts, specOf(request, target), request);
    } catch (error) {
      return Promise.reject(error);
    }
    const running = exchange.run().then((end) => outcomeOf(exchange, request, end));
    const { answerAt } = request;
    if (answerAt === undefined || !target.rights.handover) return running;
    return this.#inTime(request, target, running, answerAt).then(
      (first) => first ?? this.#handOver(request, exchange, running.then(afterStages)),
    );
  }

  /** `tool_search`. */
  async #search(request: CallRequest): Promise<CallOutcome> {
    const { args, client, version, cancellation } = request;
    const parsed = parseSearchArguments(args ?? {}, client.limits.resultCharsMax);
    if (parsed.kind === "problem") {
      return { kind: "result", json: textResult(parsed.text, true, version), refusal: "invalid" };
    }
    try {
      const { json } = await this.#parts.upstreams.search(parsed.value, cancellation);
      return { kind: "result", json: resultFor(json, version) };
    } catch (error) {
      return failed(request, error);
    }
  }

  /** The outcome; undefined when the client does not wait any longer. */
  #inTime(
    request: CallRequest,
    target: ToolTarget,
    running: Promise<CallOutcome>,
    answerAt: number,
  ): Promise<CallOutcome | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<CallOutcome | undefined>();
    const timer = startTimer(answerAt - performance.now(), () => {
      const statusMessage = `Waiting for ${request.name}`;
      const ttlMs = target.rights.timeoutMs + mcpTaskTtlMsDefault;
      if (tryBecomeTask(request, { statusMessage, ttlMs })) return;
      if (this.#parts.supervisor.hasRoom(request.client.id)) resolve(undefined);
    });
    running.then(
      (outcome) => {
        timer.stop();
        resolve(outcome);
      },
      (error: unknown) => {
        timer.stop();
        reject(error);
      },
    );
    return promise;
  }

  #handOver(request: CallRequest, exchange: Exchange, running: Promise<CallOutcome>): CallOutcome {
    const { id, execution } = handOver(this.#parts, request, running, () => exchange.abandon());
    exchange.markAnswered((step) => execution.tellStep(step));
    // Until the answer is out nobody knows the task: a call that is cancelled now takes it along.
    request.cancellation.onCancel(() => void execution.terminate("cancelled", terminateGraceMs));
    const text =
      `${request.name} takes longer than this client waits, and goes on as background task ${id}. ` +
      `Its result is read with ReadBgOutput (task_id ${id}; wait_ms waits for it), and KillBgTask gives it up. ` +
      `Do not call it again.`;
    const json = textResult(text, promisesStructure(request), request.version);
    return { kind: "result", json, isInterim: true };
  }
}

/** The result of a search from the Worker, in the shape of the client's revision. */
function resultFor(json: string, version: ProtocolVersion): string {
  const read: unknown = JSON.parse(json);
  const result = isObject(read) ? read : {};
  const content = Array.isArray(result.content) ? ownValue<ContentBlock[]>(result.content) : [];
  const { structuredContent } = result;
  const shaped: CallToolResult = {
    content,
    isError: result.isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent }),
  };
  return encodeCallToolResult(shaped, version);
}

/** An own text as a result. */
function textResult(text: string, isError: boolean, version: ProtocolVersion): string {
  const content: ContentBlock[] = [{ type: "text", text: text.toWellFormed() }];
  return encodeCallToolResult({ content, isError }, version);
}

function specOf(request: CallRequest, { server, tool, rights }: ToolTarget): ExchangeSpec {
  const { args, passedMeta, client } = request;
  return {
    server,
    method: "tools/call",
    params: {
      name: tool,
      arguments: args ?? {},
      ...(passedMeta === undefined ? {} : { _meta: passedMeta }),
    },
    rights,
    resultCharsMax: client.limits.resultCharsMax,
    ...(promisesStructure(request) && { promisesStructure: true }),
  };
}

function outcomeOf(exchange: Exchange, request: CallRequest, end: ExchangeEnd): CallOutcome {
  const { version } = request;
  switch (end.kind) {
    case "result":
      return { kind: "result", json: withOwnNotes(request, end.json.json, exchange.notes) };
    case "fault":
      return faultOutcome(exchange.server, end.fault, version);
    case "failed":
      if (end.reason === "invalid_arguments") {
        const text = invalidText(request.name, end.text).toWellFormed();
        return { ...badArguments(version, text), refusal: "invalid" };
      }
      return {
        kind: "result",
        json: textResult([end.text, ...exchange.notes].join("\n"), true, version),
        ...(waitsForUser.has(end.reason) ? { refusal: "pending" } : {}),
      };
  }
}

function faultOutcome(server: string, fault: ProtocolFault, version: ProtocolVersion): CallOutcome {
  const pages = pagesWanted(server, fault);
  if (pages !== undefined) return { kind: "result", json: textResult(pages, true, version) };
  return { kind: "fault", fault: foreignFault(server, fault) };
}

/** The Worker has shaped it for the client's revision: it is not looked at again, which for images would take long. */
function withOwnNotes(request: CallRequest, json: string, notes: readonly string[]): string {
  return notes.length === 0 ? json : withLinesAbout(request, json, notes);
}

/** The call was not made, and will not be before the user has done something. */
const waitsForUser: ReadonlySet<FailureReason> = new Set([
  "untrusted",
  "needs_auth",
  "needs_config",
]);

/** @throws the error that the gate takes for the end of a cancelled call */
function failed({ name, version, cancellation }: CallRequest, error: unknown): CallOutcome {
  if (!(error instanceof AppError) || cancellation.isCancelled) throw error;
  return { kind: "result", json: textResult(`${name} failed: ${error.message}`, true, version) };
}
