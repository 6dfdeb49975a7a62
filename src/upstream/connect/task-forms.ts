import { cutEnd } from "../../base/cut-text.ts";
import { upstreamSaidCharsMax, upstreamTaskAnswerMsMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import { createFault, errorCodes, type Params } from "../../protocol/json-rpc.ts";
import { ConnectionError } from "./connection.ts";
import { readInputRequests, type PeerReply, readAnswer } from "./read-reply.ts";
import {
  type AskTask,
  type TaskForm,
  type ServerTaskState,
  withoutRelatedTask,
} from "./task-call.ts";

/** Asks the client that made the call. @throws ConnectionError when it cannot answer that */
type AskCaller = (request: InputRequest) => Promise<Params>;

/**
 * A task of the extension `io.modelcontextprotocol/tasks`: `tasks/get` returns its result, its error or its questions.
 */
export class ModernTask implements TaskForm {
  readonly #ask: AskTask;
  readonly #askCaller: AskCaller;
  readonly #answered = new Set<string>();

  constructor(ask: AskTask, askCaller: AskCaller) {
    this.#ask = ask;
    this.#askCaller = askCaller;
  }

  async onState({
    status,
    statusMessage,
    members,
  }: ServerTaskState): Promise<{ readonly reply: Promise<PeerReply> } | undefined> {
    switch (status) {
      case "working":
        return undefined;
      case "input_required":
        await this.#answerAll(members.inputRequests);
        return undefined;
      case "completed":
        return now({ kind: "result", result: members.result });
      case "failed":
        return now(readAnswer({ error: members.error }) ?? failed("failed", statusMessage));
      case "cancelled":
        return now(failed("was cancelled by its server", statusMessage));
    }
  }

  /** One after the other, each once: a server uses each key only once. */
  async #answerAll(inputRequests: unknown): Promise<void> {
    const requests = readInputRequests(inputRequests);
    if (requests === undefined) {
      const text = "The task asks no question, or one that clients cannot answer.";
      throw new ConnectionError("protocol", text);
    }
    for (const [key, request] of Object.entries(requests)) {
      if (this.#answered.has(key)) continue;
      this.#answered.add(key);
      const inputResponses = { [key]: await this.#askCaller(request) };
      await this.#ask("tasks/update", { inputResponses }, { timeoutMs: upstreamTaskAnswerMsMax });
    }
  }
}

function now(reply: PeerReply): { readonly reply: Promise<PeerReply> } {
  return { reply: Promise.resolve(reply) };
}

function failed(how: string, statusMessage = ""): PeerReply {
  const text = `The task ${how}. ${statusMessage}`.trim();
  return { kind: "fault", fault: createFault(errorCodes.internalError, text) };
}

/**
 * A task of 2025-11-25: `tasks/result` waits for its end, and delivers the server's questions. So it is requested when
 * the server waits for input, and when the task has ended.
 */
export class LegacyTask implements TaskForm {
  readonly #ask: AskTask;
  #state: ServerTaskState | undefined;
  #answer: { readonly reply: Promise<PeerReply> } | undefined;

  constructor(ask: AskTask) {
    this.#ask = ask;
  }

  onState(state: ServerTaskState): Promise<{ readonly reply: Promise<PeerReply> } | undefined> {
    this.#state = state;
    if (state.status !== "working") this.#answer ??= { reply: this.#result() };
    // It may fail before anything awaits it.
    this.#answer?.reply.catch(() => {});
    return Promise.resolve(this.#answer);
  }

  /** @throws ConnectionError */
  async #result(): Promise<PeerReply> {
    const reply = await this.#ask("tasks/result", {});
    if (reply.kind === "fault") return this.#withReason(reply);
    const { result } = reply;
    return { kind: "result", result: isObject(result) ? withoutRelatedTask(result) : result };
  }

  /** The reason of a failure may only be in the state of the task. */
  #withReason(reply: Extract<PeerReply, { kind: "fault" }>): PeerReply {
    const { status, statusMessage } = this.#state ?? {};
    if (status !== "failed" && status !== "cancelled") return reply;
    const { message } = reply.fault;
    const said = statusMessage === undefined || message.includes(statusMessage);
    const text = said ? message : cutEnd(`${statusMessage} (${message})`, upstreamSaidCharsMax);
    return { kind: "fault", fault: { ...reply.fault, message: text } };
  }
}
