import { cursorCharsMax } from "../base/limits.ts";

/** A list that is shown page by page. */
export interface PagedList<Entry> {
  /** Keeps the cursors of one list from being used on another. */
  readonly name: string;
  readonly entries: readonly Entry[];
  /** The key that identifies an entry. */
  readonly keyOf: (entry: Entry) => string;
}

export interface Page<Entry> {
  readonly items: readonly Entry[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * The page that begins at `cursor`, or the first one without. Undefined for a cursor that was not given out for
 * this very list: the client then starts over (docs/spec/modern.md#caching). An empty string is a cursor too.
 */
export function cutPage<Entry>(
  list: PagedList<Entry>,
  cursor: unknown,
  entriesMax: number,
): Page<Entry> | undefined {
  const { entries } = list;
  if (cursor === undefined && entries.length <= entriesMax) return { items: entries };
  const start = cursor === undefined ? 0 : offsetOf(cursor);
  if (start === undefined || start >= entries.length || start % entriesMax !== 0) return undefined;
  if (cursor !== undefined && cursor !== encodeCursor(list, start)) return undefined;
  const end = start + entriesMax;
  const items = entries.slice(start, end);
  return end >= entries.length ? { items } : { items, nextCursor: encodeCursor(list, end) };
}

/** The version of the format comes first, so that cursors of other builds are recognised. */
function encodeCursor<Entry>(list: PagedList<Entry>, offset: number): string {
  return Buffer.from(`1:${offset}:${digestOf(list)}:${list.name}`).toString("base64url");
}

function offsetOf(cursor: unknown): number | undefined {
  if (typeof cursor !== "string" || cursor.length > cursorCharsMax) return undefined;
  const match = /^1:([1-9]\d{0,8}):/.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  return match === null ? undefined : Number(match[1]);
}

const digests = new WeakMap<readonly unknown[], string>();

/**
 * Of the entries and their order. No secret: a cursor reaches nothing but other pages of the same list.
 * Kept for lists that are given again as they are.
 */
function digestOf<Entry>({ entries, keyOf }: PagedList<Entry>): string {
  const known = digests.get(entries);
  if (known !== undefined) return known;
  const keys = entries.map((entry) => keyOf(entry));
  const digest = Bun.hash(JSON.stringify(keys)).toString(36);
  digests.set(entries, digest);
  return digest;
}
