import type { AppErrorCode } from "../../base/errors.ts";
import { parseOwnJson } from "../../base/values.ts";
import { JsonText } from "../../base/weight.ts";
import type { InputKind, InputRequests } from "../../protocol/input-request.ts";
import type { ProtocolFault } from "../../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../../protocol/message.ts";
import type { ServiceRequest } from "../services.ts";
import type { AfterDelivery, Snapshots, ToolLimits } from "../tool.ts";

/**
 * The messages between the main thread and a Worker. All of them travel as strings: a small string
 * takes 7 µs where an object takes 10, and a long one is not copied.
 */

/** One call of one tool. */
export interface JobMessage {
  readonly kind: "job";
  readonly jobId: number;
  readonly tool: string;
  readonly args: unknown;
  readonly version: ProtocolVersion;
  readonly limits: Omit<ToolLimits, "linksAsText">;
  readonly snapshots: Partial<Snapshots>;
  /** The requests that the client can answer; absent = none. */
  readonly canAsk?: readonly InputKind[];
  /** A program is to get the data of the result, whatever the client gets. */
  readonly wantsData?: true;
  /** Replies that an earlier Worker already had for this job, in order. */
  readonly record: readonly ServiceReply[];
}

export type ServiceReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: AppErrorCode; readonly message: string };

/** The answer to the service call that a job waits for. */
export interface ReplyMessage {
  readonly kind: "reply";
  readonly jobId: number;
  readonly reply: ServiceReply;
}

export type ToToolWorker =
  | JobMessage
  | ReplyMessage
  /** The job goes on elsewhere, or its caller has gone: code that waits for a reply never gets one. */
  | { readonly kind: "drop"; readonly jobId: number };

export type ServiceCall = ServiceRequest & {
  readonly kind: "call";
  readonly jobId: number;
};

/** How a handler ended. `json` is the result for the wire, in the shape of the job's version. */
interface JobDone {
  readonly kind: "done";
  readonly jobId: number;
  readonly json: string;
  /** The data of the result as JSON text, when the job wants it and the tool has any. */
  readonly dataJson?: string;
  readonly afterDelivery?: AfterDelivery;
  /** The tool takes other arguments: its handler was not run. */
  readonly isInvalid?: true;
}

export type FromToolWorker =
  | { readonly kind: "ready" }
  /** Something threw outside of any handler's reach; the Worker is to be ended. */
  | { readonly kind: "broken"; readonly jobId: number; readonly reason: string }
  | ServiceCall
  | JobDone
  | {
      readonly kind: "fault";
      readonly jobId: number;
      readonly fault: ProtocolFault;
      readonly isInvalid?: true;
    };

/** Messages of one turn travel as the lines of one string, so that the other side is woken once. */
const separator = "\n";

export function encodeToToolWorker(message: ToToolWorker): string {
  if (message.kind !== "reply") return JSON.stringify(message);
  return `{"kind":"reply","jobId":${message.jobId},"reply":${encodeReply(message.reply)}}`;
}

function encodeReply(reply: ServiceReply): string {
  if (!reply.ok || !(reply.value instanceof JsonText)) return JSON.stringify(reply);
  return `{"ok":true,"value":${reply.value.json}}`;
}

/** A job, put together from its parts: most of them are short and the same in every call. */
export function encodeJob(
  jobId: number,
  {
    tool,
    args,
    version,
    limits,
    snapshots,
    canAsk = [],
    wantsData,
  }: Omit<JobMessage, "kind" | "jobId" | "record">,
  record: readonly ServiceReply[],
): string {
  const { resultCharsMax, answerMs } = limits;
  return (
    `{"kind":"job","jobId":${jobId},"tool":${JSON.stringify(tool)},"version":"${version}",` +
    `"limits":{"resultCharsMax":${resultCharsMax},"answerMs":${answerMs}},` +
    `"snapshots":${JSON.stringify(snapshots)},` +
    (canAsk.length === 0 ? "" : `"canAsk":${JSON.stringify(canAsk)},`) +
    (wantsData === true ? '"wantsData":true,' : "") +
    `"record":[${record.map(encodeReply).join(",")}],` +
    `"args":${JSON.stringify(args)}}`
  );
}

export function decodeToToolWorker(text: string): ToToolWorker[] {
  return text.split(separator).map((line) => parseOwnJson(line));
}

/**
 * A finished job is sent as its number, then the text of its result (`5 {…}`), preceded by data for no client if
 * there is anything (`5 {…}<tab>{…}`): the result is passed on unchanged and never parsed on the main
 * thread. JSON text contains neither newlines nor tabs.
 */
export function encodeFromToolWorker(message: FromToolWorker): string {
  if (message.kind !== "done") return JSON.stringify(message);
  const { jobId, json, dataJson, afterDelivery, isInvalid } = message;
  if (dataJson === undefined && afterDelivery === undefined && isInvalid === undefined)
    return `${jobId} ${json}`;
  return `${jobId} ${JSON.stringify({ dataJson, afterDelivery, isInvalid })}\t${json}`;
}

/** The data of a finished job beside its result. */
type Beside = Omit<JobDone, "kind" | "jobId" | "json">;

export function decodeFromToolWorker(text: string): FromToolWorker[] {
  if (!text.includes(separator)) return [decodeLine(text)];
  return text.split(separator).map(decodeLine);
}

/** Joins encoded messages into one text to send. */
export function joinMessages(encoded: readonly string[]): string {
  return encoded.length === 1 ? (encoded[0] ?? "") : encoded.join(separator);
}

const openingBrace = 0x7b;

function decodeLine(line: string): FromToolWorker {
  if (line.charCodeAt(0) === openingBrace) return parseOwnJson(line);
  const blank = line.indexOf(" ");
  const jobId = Number(line.slice(0, blank));
  const tab = line.indexOf("\t", blank);
  if (tab === -1) return { kind: "done", jobId, json: line.slice(blank + 1) };
  const beside = parseOwnJson<Beside>(line.slice(blank + 1, tab));
  return { kind: "done", jobId, json: line.slice(tab + 1), ...beside };
}

/** Why a Worker is ended. */
export interface Ending {
  /** For people. */
  readonly reason: string;
  /** The job that is to blame; 0 when that is unknown, or when the job has already ended. */
  readonly culpritId: number;
}

/** How a job ended. */
export type JobOutcome =
  | Omit<JobDone, "jobId">
  | { readonly kind: "fault"; readonly fault: ProtocolFault; readonly isInvalid?: true }
  /** The client has to answer first; then the call is made again. */
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState: string;
    }
  /** Its Worker hung, threw, exited or never started; `reason` is for people. */
  | { readonly kind: "lost"; readonly reason: string }
  | { readonly kind: "cancelled" };

/** Makes the message of a job; called again when it starts over, since less of its time is left. */
export type JobMessageSource = () => Omit<JobMessage, "kind" | "jobId" | "record">;

/** The answer of a service that ends the job: the job's handler never gets a reply. */
export interface JobEnd {
  readonly ended: JobOutcome;
}

/** Answers the service calls of one job; `acts`: of a method that must not be called twice. Must not reject. */
export type JobServiceHost = (call: ServiceCall, acts: boolean) => Promise<ServiceReply | JobEnd>;

/**
 * Which job computes in a Worker, in memory that both threads see: a Worker that hangs or exits can no
 * longer report it. A job is taken to compute from its start, or the reply that it waited for, to its next
 * service call or its end; so a handler that waits for something else holds its Worker.
 */
export class ComputingCell {
  /** The job's id, 0 for none; then a number that changes with every begin. */
  readonly #memory: Int32Array;

  constructor(readonly shared: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.#memory = new Int32Array(shared);
  }

  /** Worker's side. */
  begin(jobId: number): void {
    // One writer, and 32-bit stores are never torn: plain ones do, at a fraction of the price.
    this.#memory[1] = (this.#memory[1] ?? 0) + 1;
    this.#memory[0] = jobId;
  }

  /** Worker's side. Does nothing when another job has begun since. */
  end(jobId: number): void {
    if (this.#memory[0] === jobId) this.#memory[0] = 0;
  }

  /** Main thread's side: the job that computes, 0 for none. */
  get jobId(): number {
    return Atomics.load(this.#memory, 0);
  }

  /** Main thread's side: tells two stretches of the same job apart. */
  get turn(): number {
    return Atomics.load(this.#memory, 1);
  }
}
