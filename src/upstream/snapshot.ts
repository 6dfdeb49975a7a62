import type { PromptListing } from "../protocol/prompts.ts";
import type { ResourceListing, ResourceTemplateListing } from "../protocol/resource-types.ts";
import type { SkillEntry } from "../protocol/skills.ts";
import type { ToolAnnotations, ToolListing } from "../protocol/tool-types.ts";
import type { GivenRoots } from "./config/server-entry.ts";
import type { ServerInfo } from "./server-state.ts";

/** Why a tool of a server is not offered. */
export type BlockReason = "pending" | "changed" | "denied";

/** One callable tool of another server, as the main thread knows it. */
export interface ToolEntry {
  /** Its name here: `mcp__<server>__<tool>`, or the cut form (NM1–NM3). */
  readonly name: string;
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
  /** Of the server's entry; undefined = the server's name. */
  readonly prefix?: string;
  /** Names that it had in `mcp.lock` under another budget; they can still be called (NM7). */
  readonly earlierNames?: readonly string[];
  /** It is for the apps of servers alone: listed for clients that show them, and for no model. */
  readonly isForApps?: true;
  /** Present when it is in the list: what clients are shown. Hidden tools have theirs in the Worker only. */
  readonly listing?: ToolListing;
  /** Hints of an untrusted party: they may tighten a decision, never loosen one (TR6). */
  readonly annotations?: ToolAnnotations;
  /** The definition that was approved says that it only reads, so it can be called in plan mode. */
  readonly isReadOnly?: true;
}

/** A tool that is there but may not be called, so that a call can be told why. */
export interface BlockedTool {
  readonly name: string;
  readonly server: string;
  readonly tool: string;
  readonly prefix?: string;
  readonly reason: BlockReason;
  /** See `ToolEntry`. */
  readonly isForApps?: true;
  /** What happened and how to approve. */
  readonly text: string;
}

/** The settings of a server's entry that matter to calls on the main thread. */
export interface ServerRights {
  readonly name: string;
  /** How aliases of its tools begin; absent = the server's name. */
  readonly prefix?: string;
  readonly policy?: "ask" | "allow" | "deny";
  readonly sampling: "deny" | "ask" | "allow";
  readonly elicitation: "deny" | "ask" | "allow";
  readonly roots: GivenRoots;
  readonly timeoutMs: number;
  readonly handover: boolean;
}

/** Everything that the main thread knows of other servers; replaced as a whole, ordered by (server, tool). */
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
  /** URIs are ours (RP2). */
  readonly resources: readonly ResourceListing[];
  readonly templates: readonly ResourceTemplateListing[];
  /** True: most tools are hidden, and `tool_search` and `tool_call` are listed. */
  readonly isDeferred: boolean;
  /** It is known of each server whether it may be started. */
  readonly isLookedAt: boolean;
  /** True while a server without a cached catalogue is still being asked. */
  readonly isIncomplete: boolean;
  /** True while the first list waits for one of those (CN1). */
  readonly holdsLists: boolean;
  /** What `instructions` say of each server: its own words, quoted, cut, in one line (TR7); else the names of its tools. */
  readonly introductions: readonly { readonly server: string; readonly line: string }[];
  /** Path of the index file, once it is written. */
  readonly indexFile?: string;
  /** The least time that lists may be kept, and whether one of them is private (CA11). */
  readonly ttlMs: number;
  readonly isPrivate: boolean;
}

/** A skill of another server, approved. */
export interface SkillOffer {
  readonly server: string;
  readonly name: string;
  /** URIs are ours (RP2). */
  readonly skill: SkillEntry;
}

export interface PromptEntry {
  readonly server: string;
  /** Its name there. */
  readonly prompt: string;
  /** With its name here. */
  readonly listing: PromptListing;
}

/** What is known where there are no other servers. */
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

/** What is known while the Worker has said nothing yet: nobody can tell which servers there are. */
export const unheardSnapshot: UpstreamSnapshot = {
  ...emptySnapshot,
  isLookedAt: false,
  isIncomplete: true,
};
