import { upstreamTaskAnswerMsMax } from "../../base/upstream-limits.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import { createFault, errorCodes, type Params } from "../../protocol/json-rpc.ts";
import { ConnectionError } from "./connection.ts";
import { readAnswer } from "./peer.ts";
import type { PeerReply } from "./pending-calls.ts";
import { readInputRequests } from "./read-input-request.ts";
import type { AskTask, TaskForm } from "./task-call.ts";
import type { TaskState } from "./task-state.ts";

/** Puts a question to whoever made the call. @throws ConnectionError when nobody there can be asked for that */
export type AskCaller = (request: InputRequest) => Promise<Params>;

/** A task of the extension `io.modelcontextprotocol/tasks`: `tasks/get` has its result, its error or its questions. */
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
  }: TaskState): Promise<{ readonly reply: Promise<PeerReply> } | undefined> {
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

  /** One after the other, each once: keys are never used again. */
  async #answerAll(inputRequests: unknown): Promise<void> {
    const requests = readInputRequests(inputRequests);
    if (requests === undefined) {
      const text = "The task asks for nothing, or for what no client can be asked for.";
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
