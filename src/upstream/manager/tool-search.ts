import { setTimeout as sleep } from "node:timers/promises";
import { upstreamSearchWaitMs } from "../../base/upstream-limits.ts";
import { JsonText } from "../../base/weight.ts";
import { modernVersions } from "../../protocol/message.ts";
import { encodeCallToolResult } from "../../protocol/result-codec.ts";
import { NameTable } from "../catalogue/name-table.ts";
import { answerSearch } from "../search/answer-search.ts";
import type { SearchParts } from "../search/find-matches.ts";
import { buildToolIndex, type ToolIndex } from "../search/tool-index.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamSnapshot, SearchedTool } from "../snapshot.ts";
import type { SearchQuery } from "../upstreams.ts";

/** The state that a search uses. */
export interface SearchState {
  readonly snapshot: Omit<UpstreamSnapshot, "revision">;
  readonly searched: readonly SearchedTool[];
}

export interface ToolSearchParts {
  readonly state: () => SearchState;
  readonly infoList: () => readonly ServerInfo[];
  /** The name under which clients configure scorpiox-code. */
  readonly ownKey: string;
  /** The longest wait for servers that are still connecting. */
  readonly waitMs?: number;
}

/** Answers `tool_search`; builds the index at the first search after a change. */
export class ToolSearch {
  readonly #parts: ToolSearchParts;
  #index: { readonly of: readonly SearchedTool[]; readonly index: ToolIndex } | undefined;
  #names: { readonly of: SearchState["snapshot"]; readonly table: NameTable } | undefined;
  /** Servers for which a search has waited in vain; later searches do not. */
  readonly #givenUp = new Set<string>();

  constructor(parts: ToolSearchParts) {
    this.#parts = parts;
  }

  /** Waits a little for servers whose tools are not known yet (DF8). @throws when `signal` aborts */
  async answer(query: SearchQuery, signal: AbortSignal): Promise<JsonText> {
    const { state, infoList, waitMs = upstreamSearchWaitMs } = this.#parts;
    const deadline = performance.now() + waitMs;
    while (this.#isAnyAwaited() && performance.now() < deadline) {
      await sleep(lookMs, undefined, { signal });
    }
    for (const { name } of infoList().filter(isUnknown)) this.#givenUp.add(name);
    const { snapshot, searched } = state();
    const result = await answerSearch(
      query,
      query.servers === undefined
        ? this.#wholeParts(snapshot, searched)
        : this.#partsOf(new Set(query.servers), snapshot, searched),
    );
    return new JsonText(encodeCallToolResult(result, modernVersions[0]));
  }

  #wholeParts(snapshot: SearchState["snapshot"], searched: SearchState["searched"]): SearchParts {
    const { indexFile } = snapshot;
    return {
      index: this.#indexOf(searched),
      servers: this.#parts.infoList(),
      blocked: snapshot.blocked,
      resolve: (name) => this.#resolve(name, snapshot),
      ...(indexFile === undefined ? {} : { indexFile }),
    };
  }

  /** As if these upstream servers were all: the file with every tool is not mentioned. */
  #partsOf(
    servers: ReadonlySet<string>,
    snapshot: SearchState["snapshot"],
    searched: SearchState["searched"],
  ): SearchParts {
    const isWanted = ({ server }: { readonly server: string }): boolean => servers.has(server);
    const { ownKey, infoList } = this.#parts;
    const blocked = snapshot.blocked.filter(isWanted);
    const tools = snapshot.tools.filter(isWanted);
    const table = new NameTable({ tools, blocked, reserved: [], ownKey });
    return {
      index: buildToolIndex(searched.filter(isWanted)),
      servers: infoList().filter(({ name }) => servers.has(name)),
      blocked,
      resolve: (name) => nameIn(table, name),
    };
  }

  #isAnyAwaited(): boolean {
    const { state, infoList } = this.#parts;
    const servers = infoList();
    // The configuration is still being read.
    if (servers.length === 0) return state().snapshot.isIncomplete;
    for (const server of servers) if (!isUnknown(server)) this.#givenUp.delete(server.name);
    return servers.some((server) => isUnknown(server) && !this.#givenUp.has(server.name));
  }

  #indexOf(searched: readonly SearchedTool[]): ToolIndex {
    if (this.#index?.of !== searched)
      this.#index = { of: searched, index: buildToolIndex(searched) };
    return this.#index.index;
  }

  /** The current name of a tool that was asked for by an alias. */
  #resolve(name: string, snapshot: SearchState["snapshot"]): string | undefined {
    if (this.#names?.of !== snapshot) {
      const { tools, blocked } = snapshot;
      const table = new NameTable({ tools, blocked, reserved: [], ownKey: this.#parts.ownKey });
      this.#names = { of: snapshot, table };
    }
    return nameIn(this.#names.table, name);
  }
}

function nameIn(table: NameTable, name: string): string | undefined {
  const found = table.resolve(name);
  return found.kind === "found" ? found.entry.name : undefined;
}

/** Whether its tools are unknown; known ones are searched from the cache. */
function isUnknown({ state, era }: ServerInfo): boolean {
  return state === "starting" && era === null;
}

/** The interval of checks for connected servers. */
const lookMs = 50;
