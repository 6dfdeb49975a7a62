/** Other MCP servers, as the user's files name them. Plain data; nothing in it has been expanded. */

import type { ServiceOptions } from "./service-options.ts";

export type StringMap = Readonly<Record<string, string>>;

/** A server that is started as a child and spoken to over its pipes. */
export interface StdioLaunch {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: StringMap;
  /** As written; relative to the project folder. */
  readonly cwd?: string;
}

/** A server that is spoken to over HTTP. */
export interface HttpLaunch {
  readonly transport: "http";
  readonly url: string;
  readonly headers: StringMap;
}

export type ServerLaunch = StdioLaunch | HttpLaunch;

/** Who shares one connection to a server, from all to nobody; `user`: the clients of one principal (IS5). */
export type Isolation = "shared" | "workspace" | "user" | "session" | "call";

/** How many principals this process serves; undefined: whoever is at this machine, and nobody else. */
export type Principals = "one" | "several" | undefined;

/** How much an upstream may ask of the client (CA10). */
export type AskRight = "deny" | "ask" | "allow";

/** What a server is told of folders: nothing, the project, all those of the client, or folders of the entry. */
export type RootsRule = "none" | "workspace" | "client" | readonly string[];
/** The same with the default filled in, and absolute folders. */
export type GivenRoots = RootsRule;

/** The optional keys of an entry, with their defaults filled in (docs/mcp-servers.md#what-an-entry-may-say). */
export interface ServerOptions {
  /** Absent: the name of the server. */
  readonly toolsPrefix?: string;
  /** Globs; undefined = all are allowed. */
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
  readonly timeoutMs: number;
  readonly initTimeoutMs: number;
  readonly idleMs: number;
  /** Absent: what the client takes. */
  readonly maxResultChars?: number;
  readonly policy?: "ask" | "allow" | "deny";
  /** Absent: by who is served, see `isolationOf`. */
  readonly isolation?: Isolation;
  readonly defer: "auto" | boolean;
  readonly alwaysLoad: readonly string[];
  /** Seconds without a call after which a stdio server is stopped; 0 = never. */
  readonly idleStopS: number;
  readonly sampling: AskRight;
  readonly elicitation: AskRight;
  /** Absent: `none` where an argument is a folder, else `client`. */
  readonly roots?: RootsRule;
  readonly autoApprove: boolean;
  readonly era: "auto" | "legacy" | "modern";
  readonly inheritEnv: readonly string[];
  readonly oauth?: OauthOptions;
  readonly start: "lazy" | "eager";
  /** `direct`: what a runner of packages would start is started without it, where that comes to the same. */
  readonly launcher: "direct" | "as-is";
  readonly restart: boolean;
  readonly handover: boolean;
  /** Its tools are listed beside ours even in deferred mode. */
  readonly promote: boolean;
  /** Seconds between looks at subscribed resources of a server that knows no subscriptions; 0 = none. */
  readonly pollS: number;
}

export interface OauthOptions {
  readonly clientId?: string;
  /** As written; may name a secret. */
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
  /** Absent: any free port. */
  readonly redirectPort?: number;
  /**
   * The authorization server that is asked, and no other. Absent: the one that the server names first. In entries of the
   * user's only.
   */
  readonly issuer?: string;
  /** Absent: a person logs in. In entries of the user's only. */
  readonly service?: ServiceOptions;
}

/** The nine sources, weakest first (docs/mcp-servers.md#where-servers-come-from). */
type SourceRank = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

export interface EntryOrigin {
  readonly rank: SourceRank;
  /** `project`: found inside the project tree, where other people write too. */
  readonly trust: "user" | "project";
  readonly scope: "global" | "user" | "project" | "workspace" | "command-line" | "environment";
  /** Undefined for the process environment. */
  readonly file?: string;
}

export interface ServerEntry {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly launch: ServerLaunch;
  readonly options: ServerOptions;
  readonly origin: EntryOrigin;
}

/** A server as it is after all sources were merged. */
export interface ConfiguredServer {
  readonly entry: ServerEntry;
  /** SHA-256 in hex of the canonical JSON of the launch, before expansion. */
  readonly identity: string;
  /** Entries of the same name in weaker sources, strongest first. */
  readonly shadowed: readonly ServerEntry[];
  /** The user's entry that stays active until this entry of the project is approved (CF2). */
  readonly standIn?: ConfiguredServer;
}

/** Allow and deny globs outside of entries: `MCP_ALLOW`, `MCP_DENY`, those of the administrator. */
export interface ToolRule {
  readonly effect: "allow" | "deny";
  /** Undefined: `glob` is held against the full exposed name. */
  readonly server?: string;
  readonly glob: string;
  /** An administrator's (`managed`) counts before a user's, a user's before a project's (TR8). */
  readonly trust: "managed" | "user" | "project";
  /** Where an administrator has it. */
  readonly file?: string;
}

export interface UpstreamConfig {
  /** False when `MCP` switches all of it off: then there are no servers either. */
  readonly isOn: boolean;
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  readonly rules: readonly ToolRule[];
  /** One sentence each, fit for a person: which file, server, reason. */
  readonly problems: readonly string[];
  /** Worth telling, and nothing wrong: an entry that is this program itself (CF20). */
  readonly notices: readonly string[];
  /** Undefined where there is no project (home, root). */
  readonly projectDir?: string;
  readonly workspace?: string;
}

/** What reading one entry has found wrong with it. */
export interface EntryNotes {
  /** The entry counts all the same. One sentence. */
  warn(text: string): void;
}

/** An entry cannot be used; the message completes "server "x" …". Never leaves this folder. */
export class EntryFault extends Error {
  override readonly name = "EntryFault";
}
