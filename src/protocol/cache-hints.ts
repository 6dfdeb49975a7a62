/** How long and by whom a complete modern result may be kept (docs/spec/modern.md#caching). */
export interface CacheHints {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** What holds for a result that is made of both. */
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

/** What may be another thing at the next look. */
export const notCacheable: CacheHints = { ttlMs: 0, cacheScope: "private" };
