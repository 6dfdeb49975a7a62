import type { ToolRisk } from "../../base/tool-kinds.ts";

/** Upstream servers as the user's files name them. Plain data; nothing in it has been expanded. */

export type StringMap = Readonly<Record<string, string>>;

/** A server that runs as a child process and speaks over its pipes. */
export interface StdioLaunch {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: StringMap;
  /** As written; relative to the project folder. */
  readonly cwd?: string;
}

/** A server that speaks over HTTP. */
export interface HttpLaunch {
  readonly transport: "http";
  readonly url: string;
  readonly headers: StringMap;
}

export type ServerLaunch = StdioLaunch | HttpLaunch;

/** Which clients share one connection to a server, from all to none; `user`: the clients of one principal (IS5). */
export type Isolation = "shared" | "workspace" | "user" | "session" | "call";

/** How many principals this process serves; undefined: only the user of this machine. */
export type Principals = "one" | "several" | undefined;

/** How much an upstream may ask of the client (CA10). */
export type AskRight = "deny" | "ask" | "allow";

/** The folders that a server learns of: none, the project, all those of the client, or folders of the entry. */
export type RootsRule = "none" | "workspace" | "client" | readonly string[];
/** A `RootsRule` with the default filled in and absolute folders. */
export type GivenRoots = RootsRule;

/** The optional keys of an entry, with their defaults filled in (docs/mcp-servers.md#what-an-entry-may-say). */
export interface ServerOptions {
  /** Absent: the name of the server. */
  readonly toolsPrefix?: string;
  /** Globs; undefined: all are allowed. */
  readonly allow?: readonly string[];
  readonly deny: readonly string[];
  readonly timeoutMs: number;
  readonly initTimeoutMs: number;
  readonly idleMs: number;
  /** Absent: the client's limit. */
  readonly maxResultChars?: number;
  readonly policy?: "ask" | "allow" | "deny";
  /** The risks of its tools, where their definitions give others or none: globs. A project may only say destructive. */
  readonly risk?: Readonly<Record<ToolRisk, readonly string[]>>;
  /** Absent: depends on the principals that are served, see `isolationOf`. */
  readonly isolation?: Isolation;
  readonly defer: "auto" | boolean;
  readonly alwaysLoad: readonly string[];
  /** Seconds without a call after which a stdio server is stopped; 0: never. */
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
  /** `direct`: a server that a package runner would start is started without the runner, where that is equivalent. */
  readonly launcher: "direct" | "as-is";
  readonly restart: boolean;
  readonly handover: boolean;
  /** Its tools are listed beside the built-in ones even in deferred mode. */
  readonly promote: boolean;
  /** Seconds between polls of subscribed resources of a server without subscriptions; 0: none. */
  readonly pollS: number;
}

export interface OauthOptions {
  readonly clientId?: string;
  /** As written; may name a secret. */
  readonly clientSecret?: string;
  readonly scopes?: readonly string[];
  /** Absent: any free port. */
  readonly redirectPort?: number;
  /** The only authorization server to ask. Absent: the one that the server names first. Only in entries of the user. */
  readonly issuer?: string;
  /** Absent: a person logs in. Only in entries of the user. */
  readonly service?: ServiceOptions;
  /** Each principal of a server over HTTP has a login of its own (TM2). Only in entries of the user. */
  readonly perUser?: PerUserOptions;
}

/** How each principal gets its own tokens. */
export interface PerUserOptions {
  /** How the browser shows whose it is: a click on the page that names the principal, or the principal's own token. */
  readonly confirm: "click" | "token";
  /** The signed token of the principal is traded; absent: the person logs in. */
  readonly trade?: TradeOptions;
}

/** The grants that trade the token with which a principal has come, by the party that trades it. */
export const tradeGrants = [
  /** The authorization server of the upstream server (RFC 8693). */
  "token-exchange",
  /** The company's identity provider (enterprise-managed authorization). */
  "enterprise",
] as const;

export interface TradeOptions {
  readonly grant: (typeof tradeGrants)[number];
  /** Absent: the client's secret is the proof, where there is one. */
  readonly key?: KeyOptions;
  /** With `enterprise`, and only then. The identity is the principal's. */
  readonly idp?: Omit<IdpOptions, "idToken">;
}

/** The nine sources, weakest first (docs/mcp-servers.md#where-servers-come-from). */
type SourceRank = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

export interface EntryOrigin {
  readonly rank: SourceRank;
  /** `project`: found inside the project tree, where other people can write too. */
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

/** A server after all sources were merged. */
export interface ConfiguredServer {
  readonly entry: ServerEntry;
  /** SHA-256 in hex of the canonical JSON of the launch, before expansion. */
  readonly identity: string;
  /** Entries of the same name in weaker sources, strongest first. */
  readonly shadowed: readonly ServerEntry[];
  /** The user's entry that stays active until this entry of the project is approved (CF2). */
  readonly standIn?: ConfiguredServer;
}

/** Allow and deny globs outside of entries: `MCP_ALLOW`, `MCP_DENY`, and those of the administrator. */
export interface ToolRule {
  readonly effect: "allow" | "deny";
  /** Undefined: `glob` is matched against the full exposed name. */
  readonly server?: string;
  readonly glob: string;
  /** An administrator's rule (`managed`) overrides a user's, a user's overrides a project's (TR8). */
  readonly trust: "managed" | "user" | "project";
  /** The file of an administrator's rule. */
  readonly file?: string;
}

export interface UpstreamConfig {
  /** False when `MCP` switches upstream servers off: then there are none. */
  readonly isOn: boolean;
  readonly servers: ReadonlyMap<string, ConfiguredServer>;
  readonly rules: readonly ToolRule[];
  /** One sentence each, for people: file, server, reason. */
  readonly problems: readonly string[];
  /** Worth mentioning but not wrong: an entry that is scorpiox-code itself (CF20). */
  readonly notices: readonly string[];
  /** Undefined where there is no project (home, root). */
  readonly projectDir?: string;
  readonly workspace?: string;
}

/** Collects the problems of one entry. */
export interface EntryNotes {
  /** The entry is still used. One sentence. */
  warn(text: string): void;
}

/** An entry cannot be used; the message completes "server "x" …". Never leaves this folder. */
export class EntryFault extends Error {
  override readonly name = "EntryFault";
}

/** How scorpiox-code gets tokens where no person logs in. Requires a client id. Only in entries of the user. */
export interface ServiceOptions {
  readonly grant: ServiceGrant;
  /** Absent: the client's secret is the proof, where there is one. */
  readonly key?: KeyOptions;
  /** With `enterprise`, and only then. */
  readonly idp?: IdpOptions;
  /** With `workload`, and only then. */
  readonly workload?: WrittenSecret;
}

/** The grants, by the credential that each presents. */
export const serviceGrants = [
  /** The client's own (RFC 6749 section 4.4). */
  "client_credentials",
  /** A statement of the company's identity provider about a person (enterprise-managed authorization). */
  "enterprise",
  /** A statement of the platform about a program that it runs (RFC 7523 section 2.1). */
  "workload",
] as const;

export type ServiceGrant = (typeof serviceGrants)[number];

/** Either `text` or `file` is present. */
export interface WrittenSecret {
  /** As written; may name a secret. */
  readonly text?: string;
  /** The path of its file, as written. */
  readonly file?: string;
}

/** The identity provider of a company, and its statement about the person. Texts as written. */
export interface IdpOptions {
  readonly issuer: string;
  /** The client id of scorpiox-code at the identity provider. */
  readonly clientId: string;
  readonly clientSecret?: string;
  /** The person's (OpenID Connect). */
  readonly idToken: string;
}

/** A private key in PEM that proves who the client is (RFC 7523). */
export interface KeyOptions extends WrittenSecret {
  /** Absent: the usual one for such a key. */
  readonly algorithm?: KeyAlgorithm;
  /** The id of the key, for authorization servers that know several keys of the client. */
  readonly id?: string;
}

/** Their names in RFC 7518 and RFC 8037. */
export const keyAlgorithms = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "EdDSA",
] as const;

export type KeyAlgorithm = (typeof keyAlgorithms)[number];
