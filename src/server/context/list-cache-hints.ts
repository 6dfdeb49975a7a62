import type { ServerFeatures } from "../../calls/features.ts";
import {
  type CacheHints,
  changingListCacheHints,
  fixedListCacheHints,
  stricterHints,
  toolsListCacheHints,
} from "../../protocol/cache-hints.ts";

type ListKind = "tools" | "prompts" | "resources" | "skills";

/** How long a client may keep a list; the same on all its pages (docs/spec/modern.md#caching). */
export function listCacheHints(features: ServerFeatures, kind: ListKind): CacheHints {
  const own = features.cacheHints ?? hintsOf(features, kind);
  const joined = kind === "skills" ? undefined : features.joinedHints?.();
  return joined === undefined ? own : stricterHints(own, joined);
}

function hintsOf({ changing }: ServerFeatures, kind: ListKind): CacheHints {
  if (kind !== "skills" && changing.has(kind)) return changingListCacheHints;
  return kind === "tools" ? toolsListCacheHints : fixedListCacheHints;
}
