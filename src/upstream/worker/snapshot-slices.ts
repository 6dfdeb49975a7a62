import { upstreamSliceCharsMax } from "../../base/upstream-limits.ts";
import { ownValue } from "../../base/values.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type { UpstreamEvent } from "../upstreams.ts";

/** The lists of a snapshot that may be long. */
const longLists = ["tools", "blocked", "prompts", "resources", "templates"] as const;
type LongList = (typeof longLists)[number];

/** The lists that differ from the previous snapshot. */
export type ChangedLists = Extract<UpstreamEvent, { kind: "snapshot" }>["changed"];

/** A part of a snapshot: 40,000 tools in one message would block the main thread for 50 ms. */
export type SnapshotSlice =
  /** The first part: everything except the long lists. */
  | { readonly kind: "head"; readonly head: Omit<UpstreamSnapshot, LongList> }
  /** Items of one of the long lists. */
  | { readonly kind: "items"; readonly list: LongList; readonly items: readonly unknown[] }
  /** The last part. */
  | { readonly kind: "end"; readonly changed: ChangedLists };

/**
 * Cuts a snapshot into parts of about 64 KiB of JSON, except for longer single items. @param changed called for the
 * last part, so that it includes changes reported meanwhile
 */
function* snapshotSlices(
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

/** Assembles a snapshot from its parts. */
export class SnapshotAssembly {
  #head: Omit<UpstreamSnapshot, LongList> | undefined;
  #lists = emptyLists();

  /** Returns the snapshot with its last part. A new head starts over. */
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

/**
 * Sends snapshots part by part, each when the one before was taken. While one is being sent, only the newest of later
 * ones waits.
 */
export class SnapshotSender {
  readonly #send: (slice: SnapshotSlice) => void;
  #slices: Generator<SnapshotSlice, void> | undefined;
  #waiting: UpstreamSnapshot | undefined;
  #changed = new Set<ChangedLists[number]>();
  #isScheduled = false;

  constructor(send: (slice: SnapshotSlice) => void) {
    this.#send = send;
  }

  publish(snapshot: UpstreamSnapshot): void {
    this.#waiting = snapshot;
    if (this.#slices !== undefined || this.#isScheduled) return;
    this.#isScheduled = true;
    // The list of changes follows right after the snapshot and is sent with it.
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#next();
    });
  }

  /** Adds changes to the snapshot that is being sent. False when there is none. */
  tellChanged(changed: ChangedLists): boolean {
    if (this.#slices === undefined && this.#waiting === undefined) return false;
    for (const list of changed) this.#changed.add(list);
    return true;
  }

  /** The main thread has taken the last part. */
  onTaken(): void {
    this.#next();
  }

  #next(): void {
    const part = this.#slices?.next();
    if (part !== undefined && part.done !== true) return this.#send(part.value);
    this.#slices = undefined;
    const snapshot = this.#waiting;
    if (snapshot === undefined) return;
    this.#waiting = undefined;
    this.#slices = snapshotSlices(snapshot, () => this.#takeChanged());
    this.#next();
  }

  #takeChanged(): ChangedLists {
    // Changes that belong to a newer snapshot are sent with it.
    if (this.#waiting !== undefined) return [];
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }
}
