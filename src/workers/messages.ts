import type { ProtocolFault } from "../protocol/tool-types.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { ServiceMethod } from "../tools/services.ts";
import type { AfterDelivery, Snapshots, ToolLimits } from "../tools/tool.ts";

/**
 * What crosses between the main thread and a Worker. All of it travels as strings: a small string
 * takes 7 µs where an object takes 10, and a long one is not copied.
 */

/** One call of one tool. */
export interface JobMessage {
  readonly kind: "job";
  readonly jobId: number;
  readonly tool: string;
  readonly args: unknown;
  readonly version: ProtocolVersion;
  readonly limits: ToolLimits;
  readonly snapshots: Partial<Snapshots>;
  /** Replies that an earlier Worker already had for this job, in order. */
  readonly record: readonly ServiceReply[];
}

export type ServiceReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

export type ToWorker =
  | JobMessage
  | { readonly kind: "reply"; readonly jobId: number; readonly reply: ServiceReply }
  /** The job goes on elsewhere, or its caller is gone: what waits for a reply never gets one. */
  | { readonly kind: "drop"; readonly jobId: number };

export interface ServiceCall {
  readonly kind: "call";
  readonly jobId: number;
  readonly method: ServiceMethod;
  readonly request: unknown;
}

/** How a handler ended. `json` is the result for the wire, in the shape of the job's version. */
export interface JobDone {
  readonly kind: "done";
  readonly jobId: number;
  readonly json: string;
  readonly afterDelivery?: AfterDelivery;
}

export type FromWorker =
  | { readonly kind: "ready" }
  | ServiceCall
  | JobDone
  | { readonly kind: "fault"; readonly jobId: number; readonly fault: ProtocolFault };

export function encodeToWorker(message: ToWorker): string {
  return JSON.stringify(message);
}

export function decodeToWorker(text: string): ToWorker {
  return JSON.parse(text) as ToWorker;
}

/**
 * A finished job is a line of its own in front of the result's text, which is passed on as it is
 * and never parsed on the main thread.
 */
export function encodeFromWorker(message: FromWorker): string {
  if (message.kind !== "done") return JSON.stringify(message);
  const { json, ...head } = message;
  return `${JSON.stringify(head)}\n${json}`;
}

export function decodeFromWorker(text: string): FromWorker {
  const newline = text.indexOf("\n");
  if (newline === -1) return JSON.parse(text) as FromWorker;
  const head = JSON.parse(text.slice(0, newline)) as Omit<JobDone, "json">;
  return { ...head, json: text.slice(newline + 1) };
}
