import { toolsPerPageMax } from "../../base/limits.ts";
import type { ClientContext } from "../../calls/call.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import { cutListPage } from "../../protocol/list-parts.ts";
import type { ProtocolVersion } from "../../protocol/message.ts";
import { encodeToolsListResult } from "../../protocol/result-codec.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import { listCacheHints } from "./list-cache-hints.ts";

/** The results of `tools/list` as JSON text; a list of one page is encoded once for each revision, as long as their provider gives the same array. */
export class ToolPages {
  readonly #features: ServerFeatures;
  /** Pages by the list that they show; of each list by revision, and how long they may be kept. */
  readonly #json = new WeakMap<readonly ToolListing[], Map<string, string>>();

  constructor(features: ServerFeatures) {
    this.#features = features;
  }

  /**
   * Undefined for a cursor that is not of this list. A client that may not use all tools sees its own list. A promise
   * where the tools are listed for each client.
   */
  page(
    version: ProtocolVersion,
    client: ClientContext,
    cursor: unknown,
    showsApps = false,
  ): string | undefined | Promise<string | undefined> {
    const { tools } = this.#features;
    const listing = tools.listFor?.(client, version, showsApps);
    if (listing === undefined) return this.#page(tools.list(), version, client, cursor);
    return listing.then((listings) => this.#page(listings, version, client, cursor));
  }

  #page(
    listings: readonly ToolListing[],
    version: ProtocolVersion,
    { mayUse, servers }: ClientContext,
    cursor: unknown,
  ): string | undefined {
    if (mayUse !== undefined || servers !== undefined) {
      const usable = listings.filter(({ name }) => mayUse?.(name) !== false);
      return this.#encode(usable, version, cursor, true);
    }
    if (cursor !== undefined || listings.length > toolsPerPageMax) {
      return this.#encode(listings, version, cursor);
    }
    return this.#wholeList(listings, version);
  }

  #wholeList(listings: readonly ToolListing[], version: ProtocolVersion): string | undefined {
    const jsons = this.#json.get(listings) ?? new Map<string, string>();
    this.#json.set(listings, jsons);
    const { ttlMs, cacheScope } = listCacheHints(this.#features, "tools", {});
    const key = `${version} ${ttlMs} ${cacheScope}`;
    const known = jsons.get(key);
    if (known !== undefined) return known;
    const json = this.#encode(listings, version, undefined);
    if (json !== undefined) jsons.set(key, json);
    return json;
  }

  #encode(
    entries: readonly ToolListing[],
    version: ProtocolVersion,
    cursor: unknown,
    isPrivate = false,
  ): string | undefined {
    const list = { name: "tools", entries, keyOf: ({ name }: ToolListing) => name };
    const page = cutListPage(list, cursor, toolsPerPageMax);
    if (page === undefined) return undefined;
    const cacheHints = listCacheHints(this.#features, "tools", {});
    const hints = isPrivate ? ({ ...cacheHints, cacheScope: "private" } as const) : cacheHints;
    return encodeToolsListResult(page.items, version, { hints, nextCursor: page.nextCursor });
  }
}
