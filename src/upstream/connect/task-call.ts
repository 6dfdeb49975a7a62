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
import { metaOf } from "../../protocol/envelope.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import { ConnectionError } from "./connection.ts";
import type { Peer, PeerRequest } from "./peer.ts";
import type { PendingCall, PeerReply, ServerTask } from "./pending-calls.ts";

const statuses = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/** A task of a server, as one look shows it, in the form of either era. */
export interface TaskState {
  readonly id: string;
  readonly status: (typeof statuses)[number];
  readonly statusMessage?: string;
  /** Milliseconds until the next look: what the server wants, within our bounds. */
  readonly pollMs: number;
  /** Another text than before: something has happened. */
  readonly sign: string;
  readonly members: Params;
}

/** @throws ConnectionError for what is no task */
export function readTask(value: unknown): TaskState {
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

/** Nothing more comes of it. */
function isEnded({ status }: TaskState): boolean {
  return status !== "working" && status !== "input_required";
}

/** `execution.taskSupport` of a tool: it cannot be called otherwise. */
export function demandsTask({ execution }: Params): boolean {
  return isObject(execution) && execution.taskSupport === "required";
}

const relatedKey = "io.modelcontextprotocol/related-task";

/** The task that a message of 2025-11-25 belongs to, if it says so. */
export function relatedTaskOf(params: unknown): string | undefined {
  const related = metaOf(isObject(params) ? params : undefined)?.[relatedKey];
  return isObject(related) && typeof related.taskId === "string" ? related.taskId : undefined;
}

/** Ids of tasks mean nothing to those who have not made them. */
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
  return new ConnectionError("protocol", `The server spoke of a task that is none: ${shown}`);
}

/** Sends requests that belong to one task. */
export type AskTask = (
  method: string,
  params: Params,
  patience?: Pick<PeerRequest, "timeoutMs">,
) => Promise<PeerReply>;

/** What of a task differs between the eras. */
export interface TaskForm {
  /** What has to be done in this state; the answer of the call, as soon as something can be told to wait for. */
  onState(state: TaskState): Promise<{ readonly reply: Promise<PeerReply> } | undefined>;
}

export interface TaskParts {
  readonly peer: Peer;
  readonly call: PendingCall;
  /** As the era of the server wants requests. */
  readonly shape: (params: Params) => Params;
  readonly formOf: (ask: AskTask) => TaskForm;
}

/** What may be over a moment later. */
const passing: ReadonlySet<ConnectionError["failure"]> = new Set([
  "busy",
  "timeout",
  "lost",
  "unreachable",
]);

/**
 * A call that its server carries out as a task: looked at in the time that the server asks for, until its result is there.
 * The call keeps its own limits, progress and questions meanwhile; at its end the server is told to cancel the task.
 */
export class TaskCall implements ServerTask {
  readonly id: string;
  readonly #parts: TaskParts;
  readonly #form: TaskForm;
  readonly #over = new AbortController();

  constructor(first: TaskState, parts: TaskParts) {
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
  async #follow(first: TaskState): Promise<PeerReply> {
    try {
      const answer = await this.#untilAnswer(first);
      this.#over.abort();
      return answer;
    } catch (error) {
      this.cancel();
      throw error;
    }
  }

  async #untilAnswer(first: TaskState): Promise<PeerReply> {
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

  /** The next state, or why there is none. */
  async #look(): Promise<TaskState | PeerReply> {
    const reply = await this.#ask("tasks/get", {}, { timeoutMs: upstreamTaskAnswerMsMax });
    return reply.kind === "fault" ? reply : readTask(reply.result);
  }

  /** A task outlives a stream that breaks, and a server that is busy: all that is asked of it may be asked again. */
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
