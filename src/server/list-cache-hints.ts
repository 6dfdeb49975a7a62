import type { ServerFeatures } from "../gateway/features.ts";
import {
  type CacheHints,
  changingListCacheHints,
  fixedListCacheHints,
} from "../protocol/cache-hints.ts";

/** How long a client may keep a list; the same on all its pages (modern.md section 3). */
export function listCacheHints(
  { cacheHints, changing }: ServerFeatures,
  kind: "prompts" | "resources" | "skills",
): CacheHints {
  if (cacheHints !== undefined) return cacheHints;
  const isChanging = kind !== "skills" && changing.has(kind);
  return isChanging ? changingListCacheHints : fixedListCacheHints;
}
