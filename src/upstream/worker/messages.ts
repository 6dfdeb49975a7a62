import { JsonText } from "../../base/json-text.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { LogLevel } from "../../protocol/log-level.ts";
import type { ProcessReport, ProcessRequest } from "../process/process-messages.ts";
import type {
  KeptResult,
  SearchQuery,
  UpstreamCall,
  UpstreamControl,
  UpstreamEvent,
} from "../upstreams.ts";
import type { SnapshotSlice } from "./snapshot-slices.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

/** What crosses between the main thread and the Worker of all other servers. All of it travels as strings. */

/** What one reply is due for. */
export type UpstreamRequest =
  | { readonly kind: "call"; readonly call: UpstreamCall }
  | {
      readonly kind: "check";
      readonly server: string;
      readonly tool: string;
      readonly args: unknown;
    }
  | { readonly kind: "search"; readonly query: SearchQuery }
  | { readonly kind: "control"; readonly control: UpstreamControl }
  | { readonly kind: "info" }
  | { readonly kind: "subscribe"; readonly uri: string; readonly clientId: string };

export type ToUpstreamWorker =
  /** The first message. */
  | { readonly kind: "open"; readonly options: UpstreamOptions }
  | { readonly kind: "request"; readonly id: number; readonly request: UpstreamRequest }
  /** Nobody waits for it any more. */
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "answer"; readonly askId: number; readonly answer: Params }
  | {
      readonly kind: "refusal";
      readonly askId: number;
      readonly code: string;
      readonly message: string;
    }
  | { readonly kind: "unsubscribe"; readonly uri: string; readonly clientId: string }
  | { readonly kind: "end-client"; readonly clientId: string }
  /** The events that came last were taken; the next ones may come. */
  | { readonly kind: "events-taken" }
  /** The same for the last part of a snapshot. */
  | { readonly kind: "slice-taken" }
  /** Answered at once by a Worker that does not hang. */
  | { readonly kind: "ping" }
  /** Everything is ended; then comes `closed`. */
  | { readonly kind: "close" }
  | { readonly kind: "process"; readonly report: ProcessReport };

/** Told by the Worker beside replies; `id` is a call's. */
export type LaneEvent =
  | { readonly kind: "event"; readonly event: UpstreamEvent }
  | {
      readonly kind: "progress";
      readonly id: number;
      readonly progress: number;
      readonly total?: number;
      readonly message?: string;
    }
  | {
      readonly kind: "log";
      readonly id: number;
      readonly level: LogLevel;
      readonly data: unknown;
      readonly logger?: string;
    };

export type FromUpstreamWorker =
  /** The result object of a call or a search, as it is passed on. */
  | { readonly kind: "result"; readonly id: number; readonly json: JsonText }
  | { readonly kind: "reply"; readonly id: number; readonly value?: unknown }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly code: string;
      readonly message: string;
    }
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly askId: number;
      readonly request: InputRequest;
    }
  /** Answered by an object with the `taskId`, as a question is. */
  | {
      readonly kind: "keep";
      readonly id: number;
      readonly askId: number;
      readonly output: KeptResult;
    }
  | { readonly kind: "events"; readonly events: readonly LaneEvent[] }
  | { readonly kind: "slice"; readonly slice: SnapshotSlice }
  | { readonly kind: "pong" }
  | { readonly kind: "closed" }
  /** Something threw outside of any call's reach; the Worker goes on. */
  | { readonly kind: "mishap"; readonly reason: string }
  | { readonly kind: "process"; readonly request: ProcessRequest };

export function encodeToUpstreamWorker(message: ToUpstreamWorker): string {
  return JSON.stringify(message);
}

export function decodeToUpstreamWorker(text: string): ToUpstreamWorker {
  return JSON.parse(text) as ToUpstreamWorker;
}

/** A result is its call's number and JSON (`5 {…}`), which the main thread passes on as it is. */
export function encodeFromUpstreamWorker(message: FromUpstreamWorker): string {
  return message.kind === "result" ? `${message.id} ${message.json.json}` : JSON.stringify(message);
}

const openingBrace = 0x7b;

export function decodeFromUpstreamWorker(text: string): FromUpstreamWorker {
  if (text.charCodeAt(0) === openingBrace) return JSON.parse(text) as FromUpstreamWorker;
  const blank = text.indexOf(" ");
  const json = new JsonText(text.slice(blank + 1));
  return { kind: "result", id: Number(text.slice(0, blank)), json };
}
