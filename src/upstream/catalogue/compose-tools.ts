import { deferredTokensMin, deferredToolsMin } from "../../base/upstream-limits.ts";
import { riskOfHints, type ToolRisk, toolRisks } from "../../base/tool-kinds.ts";
import { isObject } from "../../base/values.ts";
import type { ToolAnnotations, ToolListing } from "../../protocol/tool-types.ts";
import type { ServerOptions, GivenRoots } from "../config/server-entry.ts";
import type { RawTool, ServerCatalogue } from "../connect/connection.ts";
import { assignNames, byServerAndTool, distinctTitles } from "../names/assign-names.ts";
import type { ServerInfo } from "../server-state.ts";
import type { BlockedTool, ToolEntry, SearchedTool } from "../snapshot.ts";
import type { JudgedItem, JudgedCatalogue } from "../trust/judge-catalogue.ts";
import { createToolGlob, toolGlobMatches } from "../trust/tool-glob.ts";
import { toolListing } from "./tool-listing.ts";

export interface ListedParts {
  /** The decision of `decideDeferral`. */
  readonly isDeferred: boolean;
  /** From the server's entry. */
  readonly options: Pick<ServerOptions, "defer" | "promote">;
  /** One of the entry's `always_load` globs matches the tool. */
  readonly isPinned: boolean;
}

/**
 * Whether an upstream tool is in `tools/list` (DF4). The server's own entry is more specific than the decision for all
 * servers, and wins. Hidden tools can still be called (DF6).
 */
export function isListed({ isDeferred, options, isPinned }: ListedParts): boolean {
  if (isPinned || options.promote) return true;
  return options.defer === "auto" ? !isDeferred : !options.defer;
}

/**
 * Whether a tool is only for the pages of a server's app (MCP Apps, `_meta.ui.visibility` without `model`): the model
 * must not see or call it.
 */
export function isForApps(tool: { readonly name: string; readonly _meta?: unknown }): boolean {
  const { _meta: meta } = tool;
  const ui = isObject(meta) ? meta.ui : undefined;
  const visibility: unknown = isObject(ui) ? ui.visibility : undefined;
  return Array.isArray(visibility) && !visibility.includes("model");
}

export interface ToolParts {
  readonly views: readonly ServerView[];
  readonly toolNameMax: number;
  readonly defer: "auto" | "on" | "off";
  readonly wasDeferred: boolean;
  /** Names that a tool had in `mcp.lock` under another budget (NM7). */
  readonly earlierNamesOf: (tool: Pick<ToolEntry, "server" | "tool" | "name">) => readonly string[];
}

export interface ComposedTools {
  readonly tools: readonly ToolEntry[];
  readonly blocked: readonly BlockedTool[];
  /** All tools that a model can call, hidden ones included, with full definitions. */
  readonly searched: readonly SearchedTool[];
  readonly decision: DeferralDecision;
}

interface Found {
  readonly server: string;
  readonly tool: string;
  readonly view: ServerView;
  readonly judged: JudgedItem<RawTool>;
}

type Callable = SearchedTool & { readonly view: ServerView; readonly isUnapproved: boolean };

/** The names and titles of all servers' tools, and which tools are listed, in the order of server and tool (DF4). */
export function composeTools(parts: ToolParts): ComposedTools {
  const found = parts.views.flatMap(toolsOf).sort(byServerAndTool);
  const assigned = assignNames(found, parts.toolNameMax);
  const callable: Callable[] = [];
  const blocked: BlockedTool[] = [];
  for (const { item, name } of assigned) {
    const { server, tool, view, judged } = item;
    if (judged.state === "approved") {
      const listing = listingOf(server, name, judged.shown);
      callable.push({ server, tool, view, listing, isUnapproved: judged.isUnapproved === true });
    } else {
      const { state: reason, text } = judged;
      const audience = isForApps(judged.item) ? { isForApps: true as const } : {};
      blocked.push({ name, server, tool, reason, text, ...audience, ...prefixOf(view) });
    }
  }
  const titled = withTitles(callable);
  const searched = titled.filter(({ listing }) => !isForApps(listing));
  const decision = decideDeferral({
    mode: parts.defer,
    tools: searched,
    hasUnknownServer: parts.views.some(({ isUnknown }) => isUnknown),
    wasDeferred: parts.wasDeferred,
  });
  const tools = titled.map((one) => entryOf(one, decision.isDeferred, parts.earlierNamesOf));
  return { tools, blocked, searched, decision };
}

function toolsOf(view: ServerView): Found[] {
  const server = view.info.name;
  return (view.offer?.judged.tools ?? []).map((judged) => {
    return { server, tool: judged.item.name, view, judged };
  });
}

/** Adds the server to the titles of tools that would have the same title (NM8). */
function withTitles(callable: readonly Callable[]): readonly Callable[] {
  const titles = distinctTitles(
    callable.map(({ server, listing }) => ({ server, title: listing.title })),
  );
  return callable.map((one, index) => {
    const title = titles[index];
    return title === one.listing.title || title === undefined
      ? one
      : { ...one, listing: titledListing(one.listing, title) };
  });
}

function entryOf(
  { server, tool, view, listing, isUnapproved }: Callable,
  isDeferred: boolean,
  earlierNamesOf: ToolParts["earlierNamesOf"],
): ToolEntry {
  const { options } = view;
  const earlierNames = earlierNamesOf({ server, tool, name: listing.name });
  const isAppsOnly = isForApps(listing);
  const isPinned = matchesOne(options.alwaysLoad, [tool, listing.name]);
  const { annotations } = listing;
  const risk = riskOf(options, [tool, listing.name], isUnapproved ? undefined : annotations);
  return {
    name: listing.name,
    server,
    tool,
    ...prefixOf(view),
    ...(earlierNames.length === 0 ? {} : { earlierNames }),
    ...(isAppsOnly ? { isForApps: true } : {}),
    // Always listed: an app cannot search for its tools.
    ...(isAppsOnly || isListed({ isDeferred, options, isPinned }) ? { listing } : {}),
    ...(annotations === undefined ? {} : { annotations }),
    ...(risk !== "destructive" && { risk }),
    ...(annotations?.readOnlyHint === true && !isUnapproved && { isReadOnly: true }),
  };
}

/** The user's entry has the last word; of several that it says, the strictest. */
function riskOf(
  { risk }: ServerView["options"],
  names: readonly string[],
  approved: ToolAnnotations | undefined,
): ToolRisk {
  const said = toolRisks.findLast((each) => matchesOne(risk?.[each] ?? [], names));
  return said ?? riskOfHints(approved);
}

function prefixOf({ options }: ServerView): { readonly prefix?: string } {
  return options.toolsPrefix === undefined ? {} : { prefix: options.toolsPrefix };
}

function matchesOne(globs: readonly string[], names: readonly string[]): boolean {
  return globs.some((pattern) => {
    const glob = createToolGlob(pattern);
    return glob !== undefined && names.some((name) => toolGlobMatches(glob, name));
  });
}

/** Kept for each definition: snapshots are frequent, and definitions seldom change. */
const listings = new WeakMap<RawTool, { readonly server: string; readonly listing: ToolListing }>();

const titledListings = new WeakMap<ToolListing, ToolListing>();

function listingOf(server: string, name: string, tool: RawTool): ToolListing {
  const known = listings.get(tool);
  if (known?.server === server && known.listing.name === name) return known.listing;
  const listing = { name, ...toolListing(server, tool) };
  listings.set(tool, { server, listing });
  return listing;
}

function titledListing(listing: ToolListing, title: string): ToolListing {
  const known = titledListings.get(listing);
  if (known?.title === title) return known;
  const titled = { ...listing, title };
  titledListings.set(listing, titled);
  return titled;
}

/** One server, as input to a snapshot. */
export interface ServerView {
  readonly info: ServerInfo;
  readonly options: ServerOptions;
  /** Its catalogue, and the judgement on each part; undefined while it is unknown, or when the server may not be used. */
  readonly offer?: { readonly catalogue: ServerCatalogue; readonly judged: JudgedCatalogue };
  /** Whether the server may be used has been decided. */
  readonly isLookedAt: boolean;
  /** It may be used, its catalogue is unknown, and it is being asked. */
  readonly isAwaited: boolean;
  /** As `isAwaited`, and lists still wait for it. */
  readonly holdsLists: boolean;
  /** It may be used, and its catalogue is unknown, for whatever reason. */
  readonly isUnknown: boolean;
  /** The folders that it may learn of. */
  readonly roots: GivenRoots;
  /** Its catalogue may depend on the principal. */
  readonly hasCredentials: boolean;
  /** Its resources are those of one person, who is not every client. */
  readonly hidesResources?: boolean;
}

export interface DeferralParts {
  /** The setting of this process: `--defer`, or the default for the client's name (DF3). */
  readonly mode: "auto" | "on" | "off";
  /** All callable tools of upstream servers, hidden or not. */
  readonly tools: Iterable<{ readonly listing: ToolListing }>;
  /** The tools of an enabled server are not known yet, not even from an earlier run (DF2a). */
  readonly hasUnknownServer: boolean;
  /** `isSettled` and `isDeferred` of an earlier decision since the last change of configuration (DF2). */
  readonly wasDeferred: boolean;
}

export interface DeferralDecision {
  /** Most tools are hidden, and found by `tool_search`. */
  readonly isDeferred: boolean;
  /** False while a server is not known yet; the decision is made again when it is. */
  readonly isSettled: boolean;
}

/**
 * Whether the tools of upstream servers are hidden until they are searched for. A settled decision to hide them holds
 * until the configuration changes or the process ends: the list must not flap around the threshold.
 */
export function decideDeferral(parts: DeferralParts): DeferralDecision {
  if (parts.mode !== "auto") return { isDeferred: parts.mode === "on", isSettled: true };
  if (parts.wasDeferred || isLarge(parts.tools)) return { isDeferred: true, isSettled: true };
  return { isDeferred: parts.hasUnknownServer, isSettled: !parts.hasUnknownServer };
}

function isLarge(tools: DeferralParts["tools"]): boolean {
  let count = 0;
  let tokens = 0;
  for (const { listing } of tools) {
    count++;
    tokens += estimateTokens(listing);
    if (count > deferredToolsMin || tokens > deferredTokensMin) return true;
  }
  return false;
}

/** About how many tokens a definition costs a model: a quarter of the characters of its compact JSON (DF1). */
export function estimateTokens(listing: ToolListing): number {
  return Math.ceil(JSON.stringify(listing).length / 4);
}
