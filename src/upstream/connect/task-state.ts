import { cutEnd } from "../../base/cut-text.ts";
import {
  upstreamRawCharsShown,
  upstreamSaidCharsMax,
  upstreamTaskPollMsDefault,
  upstreamTaskPollMsMax,
  upstreamTaskPollMsMin,
} from "../../base/upstream-limits.ts";
import { metaOf } from "../../protocol/envelope.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import { ConnectionError } from "./connection.ts";

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
export function isEnded({ status }: TaskState): boolean {
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
