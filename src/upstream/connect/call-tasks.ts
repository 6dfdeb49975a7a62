import { cutEnd } from "../../base/cut-text.ts";
import {
  upstreamSaidCharsMax,
  upstreamTaskAnswerMsMax,
  upstreamTaskKeptMs,
} from "../../base/upstream-limits.ts";
import { extensionIds } from "../../protocol/client-capabilities.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import { createFault, errorCodes, isObject, type Params } from "../../protocol/json-rpc.ts";
import { legacyVersionLatest } from "../../protocol/message.ts";
import { ConnectionError, type ConnectionRequest } from "./connection.ts";
import type { Greeting } from "./handshake.ts";
import { type Peer, readAnswer } from "./peer.ts";
import type { CallOrigin, PeerReply } from "./pending-calls.ts";
import { readInputRequests } from "./read-reply.ts";
import type { ServerRequests } from "./server-requests.ts";
import {
  type AskTask,
  readTask,
  UpstreamTaskCall,
  type TaskForm,
  type ServerTaskState,
  withoutRelatedTask,
} from "./task-call.ts";

/** Asks the client that made the call. @throws ConnectionError when it cannot answer that */
type AskCaller = (request: InputRequest) => Promise<Params>;

/**
 * A task of the extension `io.modelcontextprotocol/tasks`: `tasks/get` returns its result, its error or its questions.
 */
class ModernTask implements TaskForm {
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
class LegacyTask implements TaskForm {
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

interface CallTasksParts {
  readonly peer: Peer;
  readonly greeting: Greeting;
  readonly requests: ServerRequests;
}

/** The capabilities of a client with the extension. */
export const taskExtension = { extensions: { [extensionIds.tasks]: {} } };

/**
 * Decides which calls of a server's tools are made as tasks: only those that cannot be made otherwise, since a task
 * reports nothing between two polls.
 */
export class CallTasks {
  readonly #parts: CallTasksParts;
  /** Tools of a modern server that it has refused to call other than as a task. */
  readonly #demanding = new Set<string>();

  constructor(parts: CallTasksParts) {
    this.#parts = parts;
  }

  /**
   * The parameters that make the call a task of 2025-11-25.
   * @throws ConnectionError when it would have to be a task and the server does not support tasks
   */
  params({ method, mustBeTask = false, timeoutMs }: ConnectionRequest): Params {
    const { protocolVersion, capabilities } = this.#parts.greeting;
    if (method !== "tools/call" || !mustBeTask || protocolVersion !== legacyVersionLatest)
      return {};
    if (memberOf(capabilities, "tasks", "requests", "tools", "call") === undefined) {
      const text =
        "The tool can only be called as a task, but its server does not declare support for tasks. That is a fault of the server.";
      throw new ConnectionError("refused", text);
    }
    return { task: { ttl: Math.ceil(timeoutMs) + upstreamTaskKeptMs } };
  }

  /** The capabilities for a call to a modern server. */
  capabilities({ method, params }: ConnectionRequest): Params {
    return method === "tools/call" && this.#demanding.has(String(params.name)) ? taskExtension : {};
  }

  /** True when the tool was refused because it can only be called as a task, and the next attempt will be one. */
  learn({ method, params }: ConnectionRequest, reply: PeerReply): boolean {
    if (method !== "tools/call" || reply.kind !== "fault") return false;
    const { code, data } = reply.fault;
    const { capabilities } = this.#parts.greeting;
    const path = ["extensions", extensionIds.tasks] as const;
    const isWanted =
      code === errorCodes.missingClientCapability &&
      memberOf(data, "requiredCapabilities", ...path) !== undefined &&
      memberOf(capabilities, ...path) !== undefined;
    const name = String(params.name);
    if (!isWanted || this.#demanding.has(name)) return false;
    this.#demanding.add(name);
    return true;
  }

  /** Follows the task, if the answer of the call is one. */
  origin({ method, mustBeTask }: ConnectionRequest, shape: (params: Params) => Params): CallOrigin {
    const { peer, greeting, requests } = this.#parts;
    const mayBeTask = greeting.era === "modern" || mustBeTask === true;
    if (method !== "tools/call" || !mayBeTask) return {};
    return {
      taskOf: (reply, call) => {
        const task = reply.kind === "result" ? taskIn(reply.result, greeting.era) : undefined;
        if (task === undefined) return undefined;
        const formOf = (ask: AskTask): TaskForm =>
          greeting.era === "legacy"
            ? new LegacyTask(ask)
            : new ModernTask(ask, (request) => requests.askFor(request, call));
        return new UpstreamTaskCall(readTask(task), { peer, call, shape, formOf });
      },
    };
  }
}

function taskIn(result: unknown, era: Greeting["era"]): unknown {
  if (!isObject(result)) return undefined;
  if (era === "modern") return result.resultType === "task" ? result : undefined;
  return isObject(result.task) && result.content === undefined ? result.task : undefined;
}

function memberOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}
