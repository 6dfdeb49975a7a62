import type { PromptListing } from "../protocol/prompts.ts";
import type { ResourceListing, ResourceTemplateListing } from "../protocol/resource-types.ts";
import type { SkillEntry } from "../protocol/skills.ts";
import type { ToolAnnotations, ToolListing } from "../protocol/tool-types.ts";
import type { GivenRoots } from "./config/server-entry.ts";
import type { ServerInfo } from "./server-state.ts";

/** Why a tool of a server is not offered. */
export type BlockReason = "pending" | "changed" | "denied";

/** One callable tool of an upstream server, as the main thread knows it. */
export interface ToolEntry {
  /** The name that clients see: `mcp__<server>__<tool>`, or the cut form (NM1–NM3). */
  readonly name: string;
  readonly server: string;
  /** Its name on its server. */
  readonly tool: string;
  /** `tools_prefix` of the server's entry; undefined = the server's name. */
  readonly prefix?: string;
  /** Names that it had in `mcp.lock` under another character budget; they can still be called (NM7). */
  readonly earlierNames?: readonly string[];
  /** Only apps of servers use it: it is listed for clients that show apps, and for no model. */
  readonly isForApps?: true;
  /** The definition that clients see, for a listed tool. Those of hidden tools are in the Worker only. */
  readonly listing?: ToolListing;
  /** Hints of an untrusted party: they may tighten a decision, never loosen one (TR6). */
  readonly annotations?: ToolAnnotations;
  /** The risk by its approved definition or the user's entry; absent: destructive. */
  readonly risk?: "read" | "write";
  /** The approved definition says that it only reads, so it can be called in plan mode. */
  readonly isReadOnly?: true;
}

/** A callable tool of an upstream server, with its whole definition, listed or hidden. */
export interface SearchedTool {
  readonly server: string;
  /** Its name on its server. */
  readonly tool: string;
  /** The cleaned definition for clients, with the name that they see. */
  readonly listing: ToolListing;
}

/** A tool that must not be called, with the reason for the caller. */
export interface BlockedTool {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly prefix?: string;
  readonly reason: BlockReason;
  /** See `ToolEntry`. */
  readonly isForApps?: true;
  /** The reason, and how to approve it. */
  readonly text: string;
}

/** The settings of a server's entry that matter to calls on the main thread. */
export interface ServerRights {
  readonly name: string;
  /** The prefix of its tools' aliases; absent = the server's name. */
  readonly prefix?: string;
  readonly policy?: "ask" | "allow" | "deny";
  readonly sampling: "deny" | "ask" | "allow";
  readonly elicitation: "deny" | "ask" | "allow";
  readonly roots: GivenRoots;
  readonly timeoutMs: number;
  readonly handover: boolean;
  /** The tokens with which principals come are traded for those of this server. */
  readonly tradesIdentity?: true;
}

/** Everything that the main thread knows about upstream servers; replaced as a whole, ordered by (server, tool). */
export interface UpstreamSnapshot {
  /** Grows with each snapshot of a Worker. */
  readonly revision: number;
  readonly servers: readonly ServerInfo[];
  readonly rights: readonly ServerRights[];
  readonly tools: readonly ToolEntry[];
  readonly blocked: readonly BlockedTool[];
  readonly prompts: readonly PromptEntry[];
  /** Absent where there are none. */
  readonly skills?: readonly SkillOffer[];
  /** With scorpiox-code's URIs (RP2). */
  readonly resources: readonly ResourceListing[];
  readonly templates: readonly ResourceTemplateListing[];
  /** True: most tools are hidden, and `tool_search` and `tool_call` are listed. */
  readonly isDeferred: boolean;
  /** For each server it is known whether it may be started. */
  readonly isLookedAt: boolean;
  /** True while a server without a cached catalogue is still being asked. */
  readonly isIncomplete: boolean;
  /** True while the first list waits for one of those (CN1). */
  readonly holdsLists: boolean;
  /** The line about each server in `instructions`: its own words, quoted and cut (TR7); else the names of its tools. */
  readonly introductions: readonly { readonly server: string; readonly line: string }[];
  /** Path of the index file, once it is written. */
  readonly indexFile?: string;
  /** The shortest time for which lists may be cached, and whether one of them is private (CA11). */
  readonly ttlMs: number;
  readonly isPrivate: boolean;
}

/** An approved skill of an upstream server. */
export interface SkillOffer {
  readonly server: string;
  readonly name: string;
  /** With scorpiox-code's URIs (RP2). */
  readonly skill: SkillEntry;
}

export interface PromptEntry {
  readonly server: string;
  /** Its name on its server. */
  readonly prompt: string;
  /** With the name that clients see. */
  readonly listing: PromptListing;
}

/** The snapshot without upstream servers. */
export const emptySnapshot: UpstreamSnapshot = {
  revision: 0,
  servers: [],
  rights: [],
  tools: [],
  blocked: [],
  prompts: [],
  resources: [],
  templates: [],
  isDeferred: false,
  isLookedAt: true,
  isIncomplete: false,
  holdsLists: false,
  introductions: [],
  ttlMs: 60_000,
  isPrivate: false,
};

/** The snapshot before the first message of the Worker: the servers are not known yet. */
export const unheardSnapshot: UpstreamSnapshot = {
  ...emptySnapshot,
  isLookedAt: false,
  isIncomplete: true,
};
