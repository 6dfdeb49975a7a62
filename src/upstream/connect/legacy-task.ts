import { cutEnd } from "../../base/cut-text.ts";
import { upstreamSaidCharsMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { PeerReply } from "./pending-calls.ts";
import type { AskTask, TaskForm } from "./task-call.ts";
import { type TaskState, withoutRelatedTask } from "./task-state.ts";

/**
 * A task of 2025-11-25: `tasks/result` waits for its end, and what the server wants to be answered comes by it. So it is asked
 * for when the server waits for input, and when the task has ended.
 */
export class LegacyTask implements TaskForm {
  readonly #ask: AskTask;
  #state: TaskState | undefined;
  #answer: { readonly reply: Promise<PeerReply> } | undefined;

  constructor(ask: AskTask) {
    this.#ask = ask;
  }

  onState(state: TaskState): Promise<{ readonly reply: Promise<PeerReply> } | undefined> {
    this.#state = state;
    if (state.status !== "working") this.#answer ??= { reply: this.#result() };
    // It may fail while nobody looks at it.
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

  /** The reason of a failure may be in the state of the task only. */
  #withReason(reply: Extract<PeerReply, { kind: "fault" }>): PeerReply {
    const { status, statusMessage } = this.#state ?? {};
    if (status !== "failed" && status !== "cancelled") return reply;
    const { message } = reply.fault;
    const said = statusMessage === undefined || message.includes(statusMessage);
    const text = said ? message : cutEnd(`${statusMessage} (${message})`, upstreamSaidCharsMax);
    return { kind: "fault", fault: { ...reply.fault, message: text } };
  }
}
