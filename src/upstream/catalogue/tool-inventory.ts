import { estimateTokens } from "../deferred/decide-deferral.ts";
import { aliasForms } from "../names/server-names.ts";
import { argumentNames, type SearchedTool, summaryOf } from "../search/tool-fields.ts";
import type { BlockedTool, BlockReason, ToolEntry, UpstreamSnapshot } from "../snapshot.ts";
import { NameTable } from "./name-table.ts";

/** A tool of another server, for people: whether it can be called, by which names, and what it costs. */
export interface InventoryTool {
  /** Its name here. */
  readonly name: string;
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
  /** Other names by which it can be called. */
  readonly aliases: readonly string[];
  readonly state: "approved" | BlockReason;
  /** Why it may not be called; null when it may. */
  readonly reason: string | null;
  /** About how many tokens its definition costs a model; null when it is not shown to one. */
  readonly tokens: number | null;
  /** False: it is found by `tool_search` only, or not at all. */
  readonly listed: boolean;
  /** Present: it is for apps of servers alone, listed for clients that show these. */
  readonly forApps?: true;
  /** Of one that may be called: what is not approved says nothing to anybody. */
  readonly summary: string;
  readonly args: readonly string[];
}

/** What a model needs to choose. */
export type ToolSummary = Pick<InventoryTool, "name" | "server" | "summary" | "args" | "state">;

export interface InventoryParts {
  readonly snapshot: Pick<UpstreamSnapshot, "tools" | "blocked">;
  /** The definitions of all that may be called. */
  readonly searched: readonly Pick<SearchedTool, "listing">[];
  /** Names of our own tools. */
  readonly reserved: readonly string[];
  /** The key under which clients have us. */
  readonly ownKey: string;
}

/** All tools of all servers, by server and name there. */
export function toolInventory(parts: InventoryParts): readonly InventoryTool[] {
  const { tools, blocked } = parts.snapshot;
  const table = NameTable.build({ ...parts, tools, blocked });
  const definitions = new Map(parts.searched.map(({ listing }) => [listing.name, listing]));
  const aliasesOf = (entry: ToolEntry | BlockedTool): readonly string[] =>
    aliasForms(entry).filter((form) => {
      const found = table.resolve(form);
      return (found.kind === "found" || found.kind === "blocked") && found.entry === entry;
    });
  const callable = tools.map((entry): InventoryTool => {
    const { name, server, tool } = entry;
    const listing = definitions.get(name) ?? entry.listing;
    const shown =
      listing === undefined
        ? { tokens: null, summary: "", args: [] }
        : {
            tokens: estimateTokens(listing),
            summary: summaryOf(listing),
            args: argumentNames(listing.inputSchema),
          };
    const forApps = entry.isForApps === true ? { forApps: true as const } : {};
    const listed = entry.listing !== undefined && entry.isForApps !== true;
    const aliases = aliasesOf(entry);
    return {
      name,
      server,
      tool,
      aliases,
      state: "approved",
      reason: null,
      listed,
      ...forApps,
      ...shown,
    };
  });
  const others = blocked.map((entry): InventoryTool => {
    const { name, server, tool, reason: state, text: reason } = entry;
    const nothing = { tokens: null, listed: false, summary: "", args: [] };
    return { name, server, tool, aliases: aliasesOf(entry), state, reason, ...nothing };
  });
  return [...callable, ...others].sort(byServerAndTool);
}

export function toolSummaries(tools: readonly InventoryTool[]): readonly ToolSummary[] {
  return tools.map(({ name, server, summary, args, state }) => {
    return { name, server, summary, args, state };
  });
}

function byServerAndTool(a: InventoryTool, b: InventoryTool): number {
  return compare(a.server, b.server) || compare(a.tool, b.tool);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
