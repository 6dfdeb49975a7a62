import type { AppErrorCode } from "../../base/errors.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { LogLevel, Params } from "../../protocol/json-rpc.ts";
import type { ProcessReport, ProcessRequest } from "../process/upstream-process.ts";
import type { SnapshotSlice } from "./snapshot-slices.ts";
import type {
  SavedResultRecord,
  SearchQuery,
  UpstreamCall,
  UpstreamControl,
  UpstreamEvent,
} from "../upstreams.ts";

/** Messages between the main thread and the upstream Worker over a `WorkerChannel`. */

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

/** Messages of the main thread that need no reply. */
export type ToUpstreamPost =
  | { readonly kind: "answer"; readonly askId: number; readonly answer: Params }
  | {
      readonly kind: "refusal";
      readonly askId: number;
      readonly code: AppErrorCode;
      readonly message: string;
    }
  | { readonly kind: "unsubscribe"; readonly uri: string; readonly clientId: string }
  | { readonly kind: "end-client"; readonly clientId: string }
  /** The last events were taken; the Worker may send the next ones. */
  | { readonly kind: "events-taken" }
  /** The last part of a snapshot was taken; the Worker may send the next one. */
  | { readonly kind: "slice-taken" }
  | { readonly kind: "process"; readonly report: ProcessReport };

/** Events of the Worker besides replies; `id` is a call's. */
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

/** Messages of the Worker besides replies. */
export type FromUpstreamPost =
  | {
      readonly kind: "ask";
      readonly id: number;
      readonly askId: number;
      readonly request: InputRequest;
    }
  /** The main thread answers it like a question, with an object that has the `taskId`. */
  | {
      readonly kind: "keep";
      readonly id: number;
      readonly askId: number;
      readonly output: SavedResultRecord;
    }
  | { readonly kind: "events"; readonly events: readonly LaneEvent[] }
  | { readonly kind: "slice"; readonly slice: SnapshotSlice }
  | { readonly kind: "process"; readonly request: ProcessRequest };
