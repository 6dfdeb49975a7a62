import { byServerAndTool } from "../names/assign-names.ts";
import { argumentNames, summaryOf } from "../search/tool-fields.ts";
import type {
  BlockedTool,
  BlockReason,
  ToolEntry,
  UpstreamSnapshot,
  SearchedTool,
} from "../snapshot.ts";
import { estimateTokens } from "./compose-tools.ts";
import { aliasForms, NameTable } from "./name-table.ts";

/** An upstream tool, for people: whether it can be called, its names, and its cost. */
export interface InventoryTool {
  /** Its exposed name. */
  readonly name: string;
  readonly server: string;
  /** Its name on the server. */
  readonly tool: string;
  /** Other names that resolve to it. */
  readonly aliases: readonly string[];
  readonly state: "approved" | BlockReason;
  /** The reason why it may not be called; null when it may. */
  readonly reason: string | null;
  /** About how many tokens its definition costs; null when no model sees it. */
  readonly tokens: number | null;
  /** False: only `tool_search` finds it, or nothing does. */
  readonly listed: boolean;
  /** Present: it is only for servers' apps, and listed for clients that show these. */
  readonly forApps?: true;
  /** The summary of a callable tool; text that is not approved is not shown. */
  readonly summary: string;
  readonly args: readonly string[];
}

/** The fields from which a model chooses. */
export type ToolSummary = Pick<InventoryTool, "name" | "server" | "summary" | "args" | "state">;

export interface InventoryParts {
  readonly snapshot: Pick<UpstreamSnapshot, "tools" | "blocked">;
  /** The definitions of all callable tools. */
  readonly searched: readonly Pick<SearchedTool, "listing">[];
  /** The names of the built-in tools. */
  readonly reserved: readonly string[];
  /** The key under which clients have configured scorpiox-code. */
  readonly ownKey: string;
}

/** All tools of all servers, by server and original name. */
export function toolInventory(parts: InventoryParts): readonly InventoryTool[] {
  const { tools, blocked } = parts.snapshot;
  const table = new NameTable({ ...parts, tools, blocked });
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
