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

/** What crosses between the main thread and the Worker of upstream servers, by a `WorkerChannel`. */

/** A call of the channel. */
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

/** What the main thread tells the Worker without a reply. */
export type ToUpstreamPost =
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

/** What the Worker tells beside replies. */
export type FromUpstreamPost =
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
  | { readonly kind: "process"; readonly request: ProcessRequest };
