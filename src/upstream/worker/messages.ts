import type { AppErrorCode } from "../../base/errors.ts";
import { ownValue } from "../../base/own-value.ts";
import { upstreamSliceCharsMax } from "../../base/upstream-limits.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { LogLevel, Params } from "../../protocol/json-rpc.ts";
import type { ProcessReport, ProcessRequest } from "../process/process-messages.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type {
  KeptResult,
  SearchQuery,
  UpstreamCall,
  UpstreamControl,
  UpstreamEvent,
} from "../upstreams.ts";

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
      readonly code: AppErrorCode;
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

/** The lists of a snapshot that may be long. */
const longLists = ["tools", "blocked", "prompts", "resources", "templates"] as const;
type LongList = (typeof longLists)[number];

/** Which lists differ from the snapshot before. */
export type ChangedLists = Extract<UpstreamEvent, { kind: "snapshot" }>["changed"];

/** A part of a snapshot: 40,000 tools as one message would hold up the main thread for 50 ms. */
export type SnapshotSlice =
  /** The first one: all but the long lists. */
  | { readonly kind: "head"; readonly head: Omit<UpstreamSnapshot, LongList> }
  /** More of one of these. */
  | { readonly kind: "items"; readonly list: LongList; readonly items: readonly unknown[] }
  /** The last one. */
  | { readonly kind: "end"; readonly changed: ChangedLists };

/**
 * Cuts a snapshot up; each part is some 64 KiB of JSON, but for single items that are longer.
 * @param changed asked with the last part: changes that were told meanwhile are in it
 */
export function* snapshotSlices(
  snapshot: UpstreamSnapshot,
  changed: () => ChangedLists,
): Generator<SnapshotSlice, void> {
  const { tools, blocked, prompts, resources, templates, ...head } = snapshot;
  yield { kind: "head", head };
  const lists: Readonly<Record<LongList, readonly unknown[]>> = {
    tools,
    blocked,
    prompts,
    resources,
    templates,
  };
  for (const list of longLists) {
    for (const items of pieces(lists[list])) yield { kind: "items", list, items };
  }
  yield { kind: "end", changed: changed() };
}

function* pieces(items: readonly unknown[]): Generator<readonly unknown[], void> {
  let piece: unknown[] = [];
  let chars = 0;
  for (const item of items) {
    const itemChars = JSON.stringify(item).length;
    if (piece.length > 0 && chars + itemChars > upstreamSliceCharsMax) {
      yield piece;
      piece = [];
      chars = 0;
    }
    piece.push(item);
    chars += itemChars;
  }
  if (piece.length > 0) yield piece;
}

/** Puts a snapshot together again. */
export class SnapshotAssembly {
  #head: Omit<UpstreamSnapshot, LongList> | undefined;
  #lists = emptyLists();

  /** The snapshot with its last part. A new head begins anew. */
  add(
    slice: SnapshotSlice,
  ): { readonly snapshot: UpstreamSnapshot; readonly changed: ChangedLists } | undefined {
    if (slice.kind === "head") {
      this.#head = slice.head;
      this.#lists = emptyLists();
      return undefined;
    }
    if (slice.kind === "items") {
      for (const item of slice.items) this.#lists[slice.list].push(item);
      return undefined;
    }
    if (this.#head === undefined) return undefined;
    const lists = ownValue<Pick<UpstreamSnapshot, LongList>>(this.#lists);
    const snapshot: UpstreamSnapshot = { ...this.#head, ...lists };
    this.#head = undefined;
    this.#lists = emptyLists();
    return { snapshot, changed: slice.changed };
  }
}

function emptyLists(): Record<LongList, unknown[]> {
  return { tools: [], blocked: [], prompts: [], resources: [], templates: [] };
}
