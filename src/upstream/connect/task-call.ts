import { setTimeout as pause } from "node:timers/promises";
import { cutEnd } from "../../base/cut-text.ts";
import {
  upstreamRawCharsShown,
  upstreamSaidCharsMax,
  upstreamTaskAnswerMsMax,
  upstreamTaskMissesMax,
  upstreamTaskPollMsDefault,
  upstreamTaskPollMsMax,
  upstreamTaskPollMsMin,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { metaOf } from "../../protocol/message.ts";
import { ConnectionError } from "./connection.ts";
import type { Peer, PeerRequest, PendingCall, ServerTask } from "./peer.ts";
import type { PeerReply } from "./read-reply.ts";

const statuses = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/** The state of a server's task at one poll, in the form of either era. */
export interface ServerTaskState {
  readonly id: string;
  readonly status: (typeof statuses)[number];
  readonly statusMessage?: string;
  /** Milliseconds until the next poll: the server's wish, within limits. */
  readonly pollMs: number;
  /** Changes when the task has progressed. */
  readonly sign: string;
  readonly members: Params;
}

/** @throws ConnectionError for an invalid task */
export function readTask(value: unknown): ServerTaskState {
  if (!isObject(value)) throw noTask(value);
  const { taskId, status, statusMessage, lastUpdatedAt } = value;
  const known = statuses.find((each) => each === status);
  if (typeof taskId !== "string" || taskId === "" || known === undefined) throw noTask(value);
  const hasMessage = typeof statusMessage === "string" && statusMessage !== "";
  const message = hasMessage ? cutEnd(statusMessage, upstreamSaidCharsMax) : undefined;
  return {
    id: taskId,
    status: known,
    ...(message === undefined ? {} : { statusMessage: message }),
    pollMs: readPollMs(value.pollInterval ?? value.pollIntervalMs),
    sign: JSON.stringify([status, message, lastUpdatedAt]),
    members: value,
  };
}

/** True for a final state. */
function isEnded({ status }: ServerTaskState): boolean {
  return status !== "working" && status !== "input_required";
}

/** `execution.taskSupport` of a tool: it can only be called as a task. */
export function demandsTask({ execution }: Params): boolean {
  return isObject(execution) && execution.taskSupport === "required";
}

const relatedKey = "io.modelcontextprotocol/related-task";

/** The task that a message of 2025-11-25 names as its own, if any. */
export function relatedTaskOf(params: unknown): string | undefined {
  const related = metaOf(isObject(params) ? params : undefined)?.[relatedKey];
  return isObject(related) && typeof related.taskId === "string" ? related.taskId : undefined;
}

/** Removes the id of the task, which means nothing outside of this connection. */
export function withoutRelatedTask(value: Params): Params {
  const { _meta: _, ...rest } = value;
  const { [relatedKey]: related, ...meta } = metaOf(value) ?? {};
  if (related === undefined) return value;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

function readPollMs(value: unknown): number {
  const wanted = typeof value === "number" ? value : upstreamTaskPollMsDefault;
  return Math.min(Math.max(wanted, upstreamTaskPollMsMin), upstreamTaskPollMsMax);
}

function noTask(value: unknown): ConnectionError {
  const shown = (JSON.stringify(value) ?? "nothing").slice(0, upstreamRawCharsShown);
  return new ConnectionError("protocol", `The server sent an invalid task: ${shown}`);
}

/** Sends requests that belong to one task. */
export type AskTask = (
  method: string,
  params: Params,
  patience?: Pick<PeerRequest, "timeoutMs">,
) => Promise<PeerReply>;

/** The parts of a task that differ between the eras. */
export interface TaskForm {
  /** Handles a state; returns the call's answer as soon as there is something to wait for. */
  onState(state: ServerTaskState): Promise<{ readonly reply: Promise<PeerReply> } | undefined>;
}

export interface TaskParts {
  readonly peer: Peer;
  readonly call: PendingCall;
  /** Shapes parameters for the server's era. */
  readonly shape: (params: Params) => Params;
  readonly formOf: (ask: AskTask) => TaskForm;
}

/** Failures that may be over a moment later. */
const passing: ReadonlySet<ConnectionError["failure"]> = new Set([
  "busy",
  "timeout",
  "lost",
  "unreachable",
]);

/**
 * A call that its server carries out as a task: polled at the server's interval, until its result is available.
 * Meanwhile the call keeps its own limits, progress and questions; when it ends early, the task is cancelled at the
 * server.
 */
export class UpstreamTaskCall implements ServerTask {
  readonly id: string;
  readonly #parts: TaskParts;
  readonly #form: TaskForm;
  readonly #over = new AbortController();

  constructor(first: ServerTaskState, parts: TaskParts) {
    this.id = first.id;
    this.#parts = parts;
    this.#form = parts.formOf((method, params, patience) => this.#ask(method, params, patience));
    parts.peer.finish(parts.call, this.#follow(first));
  }

  cancel(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    const { signal } = new AbortController();
    this.#request("tasks/cancel", {}, signal, { timeoutMs: upstreamTaskAnswerMsMax }).catch(
      () => {},
    );
  }

  /** @throws ConnectionError */
  async #follow(first: ServerTaskState): Promise<PeerReply> {
    try {
      const answer = await this.#untilAnswer(first);
      this.#over.abort();
      return answer;
    } catch (error) {
      this.cancel();
      throw error;
    }
  }

  async #untilAnswer(first: ServerTaskState): Promise<PeerReply> {
    const { call } = this.#parts;
    let sign = "";
    for (let state = first; ;) {
      if (state.sign !== sign) call.noteStatus(state.statusMessage);
      ({ sign } = state);
      const answer = await this.#form.onState(state);
      if (answer !== undefined && isEnded(state)) return await answer.reply;
      const { signal } = this.#over;
      const pauses = pause(state.pollMs, undefined, { signal, ref: false });
      const ended = await Promise.race(answer === undefined ? [pauses] : [answer.reply, pauses]);
      if (ended !== undefined) return ended;
      const looked = await this.#look();
      if ("kind" in looked) return looked;
      state = looked;
    }
  }

  /** The next state, or the error answer. */
  async #look(): Promise<ServerTaskState | PeerReply> {
    const reply = await this.#ask("tasks/get", {}, { timeoutMs: upstreamTaskAnswerMsMax });
    return reply.kind === "fault" ? reply : readTask(reply.result);
  }

  /** A task survives a broken stream and a busy server: each of its requests may be repeated. */
  async #ask(
    method: string,
    params: Params,
    patience?: { timeoutMs?: number },
  ): Promise<PeerReply> {
    const { signal } = this.#over;
    for (let misses = 1; ; misses++) {
      try {
        return await this.#request(method, params, signal, patience);
      } catch (error) {
        const isMiss = error instanceof ConnectionError && passing.has(error.failure);
        if (!isMiss || this.#parts.call.isOver || misses >= upstreamTaskMissesMax) throw error;
        const waitMs = error.retryAfterMs ?? upstreamTaskPollMsDefault;
        await pause(waitMs, undefined, { signal, ref: false });
      }
    }
  }

  #request(
    method: string,
    params: Params,
    signal: AbortSignal,
    patience: { timeoutMs?: number } = {},
  ): Promise<PeerReply> {
    const { peer, call, shape } = this.#parts;
    const all = shape({ ...params, taskId: this.id });
    return peer.request({ method, params: all, signal, owner: call, ...patience });
  }
}
