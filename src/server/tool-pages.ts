import { toolsPerPageMax } from "../base/limits.ts";
import type { ClientContext } from "../gateway/call.ts";
import type { ServerFeatures } from "../gateway/features.ts";
import { toolsListCacheHints } from "../protocol/cache-hints.ts";
import { cutPage } from "../protocol/pagination.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { encodeToolsListResult } from "../protocol/tools-list-codec.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";

/** The results of `tools/list` as JSON text; a list of one page is encoded once for each revision. */
export class ToolPages {
  readonly #features: ServerFeatures;
  #listed: readonly ToolListing[] | undefined;
  readonly #json = new Map<ProtocolVersion, string>();

  constructor(features: ServerFeatures) {
    this.#features = features;
  }

  /** Undefined for a cursor that is not of this list. A client that may not use all tools sees its own list. */
  page(version: ProtocolVersion, { mayUse }: ClientContext, cursor: unknown): string | undefined {
    const listings = this.#features.router.list();
    if (mayUse !== undefined) {
      const usable = listings.filter(({ name }) => mayUse(name));
      return this.#encode(usable, version, cursor, true);
    }
    if (cursor !== undefined || listings.length > toolsPerPageMax) {
      return this.#encode(listings, version, cursor);
    }
    return this.#wholeList(listings, version);
  }

  /** Kept until the router gives another array. */
  #wholeList(listings: readonly ToolListing[], version: ProtocolVersion): string | undefined {
    if (listings !== this.#listed) {
      this.#listed = listings;
      this.#json.clear();
    }
    const known = this.#json.get(version);
    if (known !== undefined) return known;
    const json = this.#encode(listings, version, undefined);
    if (json !== undefined) this.#json.set(version, json);
    return json;
  }

  #encode(
    entries: readonly ToolListing[],
    version: ProtocolVersion,
    cursor: unknown,
    isPrivate = false,
  ): string | undefined {
    const list = { name: "tools", entries, keyOf: ({ name }: ToolListing) => name };
    const page = cutPage(list, cursor, toolsPerPageMax);
    if (page === undefined) return undefined;
    const { cacheHints = toolsListCacheHints } = this.#features;
    const hints = isPrivate ? ({ ...cacheHints, cacheScope: "private" } as const) : cacheHints;
    return encodeToolsListResult(page.items, version, { hints, nextCursor: page.nextCursor });
  }
}
