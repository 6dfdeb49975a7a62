import type { ClientContext } from "../../calls/call.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import {
  type CacheHints,
  changingListCacheHints,
  fixedListCacheHints,
  stricterHints,
  toolsListCacheHints,
} from "../../protocol/list-parts.ts";

type ListKind = "tools" | "prompts" | "resources" | "skills";

/** How long a client may keep a list; the same on all its pages (docs/spec/modern.md#caching). */
export function listCacheHints(
  features: ServerFeatures,
  kind: ListKind,
  client: Pick<ClientContext, "servers">,
): CacheHints {
  const own = hintsOf(features, kind);
  const joined = kind === "skills" ? undefined : features.joinedHints?.();
  const hints = joined === undefined ? own : stricterHints(own, joined);
  // A token that is limited to some MCP servers has a list of its own.
  return client.servers === undefined ? hints : { ...hints, cacheScope: "private" };
}

function hintsOf({ changing }: ServerFeatures, kind: ListKind): CacheHints {
  if (kind !== "skills" && changing.has(kind)) return changingListCacheHints;
  return kind === "tools" ? toolsListCacheHints : fixedListCacheHints;
}
