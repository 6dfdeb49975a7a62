import { cursorCharsMax } from "../base/limits.ts";
import { isAtLeast, type ProtocolVersion } from "./message.ts";
import type { ContentAnnotations, Icon } from "./resource-types.ts";

/** Annotations without members unknown to the revision: `lastModified` before 2025-06-18. */
export function shapeAnnotations(
  annotations: ContentAnnotations | undefined,
  version: ProtocolVersion,
): ContentAnnotations | undefined {
  if (annotations?.lastModified === undefined || isAtLeast(version, "2025-06-18")) {
    return annotations;
  }
  const { lastModified: _newer, ...known } = annotations;
  return Object.keys(known).length === 0 ? undefined : known;
}

/** The icons that may be shown: `https:` and `data:` sources, from 2025-11-25 on (docs/spec/modern.md#tools). */
export function shapeIcons(
  icons: readonly Icon[] | undefined,
  version: ProtocolVersion,
): readonly Icon[] | undefined {
  if (icons === undefined || !isAtLeast(version, "2025-11-25")) return undefined;
  const shown = icons.filter(({ src }) => /^(?:https|data):/i.test(src));
  return shown.length === 0 ? undefined : shown;
}

/** How long and by whom a complete modern result may be kept (docs/spec/modern.md#caching). */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** The cache hints of a result that is merged from both. */
export function stricterHints(one: CacheHints, other: CacheHints): CacheHints {
  const isPublic = one.cacheScope === "public" && other.cacheScope === "public";
  return {
    ttlMs: Math.min(one.ttlMs, other.ttlMs),
    cacheScope: isPublic ? "public" : "private",
  };
}

/** Fixed for the life of the process, and the same for each caller. */
export const discoverCacheHints: CacheHints = { ttlMs: 3_600_000, cacheScope: "public" };

/** Our own tools change only with a restart; five minutes let a client notice a new configuration soon. */
export const toolsListCacheHints: CacheHints = { ttlMs: 300_000, cacheScope: "public" };

/** Lists that may differ from client to client, and change with a restart only. */
export const fixedListCacheHints: CacheHints = { ttlMs: 300_000, cacheScope: "private" };

/** Lists that change while the server lives: a client that does not listen must not be wrong for long. */
export const changingListCacheHints: CacheHints = { ttlMs: 5_000, cacheScope: "private" };

/** For results that may differ at the next request. */
export const notCacheable: CacheHints = { ttlMs: 0, cacheScope: "private" };

/** A list that is shown page by page. */
export interface PagedList<Entry> {
  /** Keeps the cursors of one list from being used on another. */
  readonly name: string;
  readonly entries: readonly Entry[];
  /** The key that identifies an entry. */
  readonly keyOf: (entry: Entry) => string;
}

export interface ListPage<Entry> {
  readonly items: readonly Entry[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * The page that begins at `cursor`, or the first one without. Undefined for a cursor that was not given out for
 * this very list: the client then starts over (docs/spec/modern.md#caching). An empty string is a cursor too.
 */
export function cutListPage<Entry>(
  list: PagedList<Entry>,
  cursor: unknown,
  entriesMax: number,
): ListPage<Entry> | undefined {
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
 * The digest of the entries and their order. No secret: a cursor reaches nothing but other pages of the same list.
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
