import { setTimeout as sleep } from "node:timers/promises";

import { JsonText } from "../../base/json-text.ts";
import { upstreamSearchWaitMs } from "../../base/limits.ts";
import { encodeCallToolResult } from "../../protocol/call-result-codec.ts";
import { modernVersions } from "../../protocol/versions.ts";
import { NameTable } from "../names/name-table.ts";
import { answerSearch } from "../search/answer-search.ts";
import type { SearchedTool } from "../search/searched-tool.ts";
import { buildToolIndex, type ToolIndex } from "../search/tool-index.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type { SearchQuery } from "../upstreams.ts";

/** What a search looks at. */
export interface SearchState {
  readonly snapshot: Omit<UpstreamSnapshot, "revision">;
  readonly searched: readonly SearchedTool[];
}

/** Answers `tool_search`; the index is made with the first search after a change. */
export class ToolSearch {
  readonly #state: () => SearchState;
  readonly #infoList: () => readonly ServerInfo[];
  readonly #ownKey: string;
  #index: { readonly of: readonly SearchedTool[]; readonly index: ToolIndex } | undefined;
  #names: { readonly of: SearchState["snapshot"]; readonly table: NameTable } | undefined;

  /** @param ownKey under which clients have us */
  constructor(state: () => SearchState, infoList: () => readonly ServerInfo[], ownKey: string) {
    this.#state = state;
    this.#infoList = infoList;
    this.#ownKey = ownKey;
  }

  /**
   * Waits a little for servers of which nothing is known yet (DF8).
   * @throws when `signal` says so
   */
  async answer(query: SearchQuery, signal: AbortSignal): Promise<JsonText> {
    const deadline = performance.now() + upstreamSearchWaitMs;
    while (this.#isAnyUnknown() && performance.now() < deadline) {
      await sleep(lookMs, undefined, { signal });
    }
    const { snapshot, searched } = this.#state();
    const { indexFile } = snapshot;
    const result = answerSearch(query, {
      index: this.#indexOf(searched),
      servers: this.#infoList(),
      blocked: snapshot.blocked,
      resolve: (name) => this.#resolve(name, snapshot),
      ...(indexFile === undefined ? {} : { indexFile }),
    });
    return new JsonText(encodeCallToolResult(result, modernVersions[0]));
  }

  /** Those of which something is known are searched by that. */
  #isAnyUnknown(): boolean {
    if (this.#state().snapshot.isIncomplete) return true;
    return this.#infoList().some(({ state, era }) => state === "starting" && era === null);
  }

  #indexOf(searched: readonly SearchedTool[]): ToolIndex {
    if (this.#index?.of !== searched)
      this.#index = { of: searched, index: buildToolIndex(searched) };
    return this.#index.index;
  }

  /** The name here of a tool that has other names. */
  #resolve(name: string, snapshot: SearchState["snapshot"]): string | undefined {
    if (this.#names?.of !== snapshot) {
      const { tools, blocked } = snapshot;
      const table = NameTable.build({ tools, blocked, reserved: [], ownKey: this.#ownKey });
      this.#names = { of: snapshot, table };
    }
    const found = this.#names.table.resolve(name);
    return found.kind === "found" ? found.entry.name : undefined;
  }
}

/** How often it is looked whether the servers are there. */
const lookMs = 50;
