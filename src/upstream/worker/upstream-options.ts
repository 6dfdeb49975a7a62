import type { ConfigDirs } from "../../config/places.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { ToldPlace } from "../cache/told-servers.ts";
import type { Principals } from "../config/server-entry.ts";
import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type { UpstreamEvent, Upstreams } from "../upstreams.ts";

/** What the Worker is given with its first message. Plain data. */
export interface UpstreamOptions {
  readonly dirs: ConfigDirs;
  /** The server's own environment: keys of configuration and `${VAR}`; never handed to a server as it is (EN1). */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of `--config`, absolute, weakest first; files of servers and files of keys. */
  readonly configFiles: readonly string[];
  /** `--strict-config`: only their servers count (CF3). */
  readonly isStrict: boolean;
  readonly workspace?: string;
  /** Of the clients so far, what the one that shows most of the apps of servers has declared; `show-apps` says when that changes. */
  readonly apps?: AppSupport;
  /** Of the one client that is served, once it has said so. */
  readonly folders?: readonly string[];
  /** Who is served when it starts; `several-principals` says when that changes. */
  readonly principals?: Exclude<Principals, undefined>;
  /** How this program was started: an entry that starts it again is skipped (CF20). */
  readonly ownCommand?: readonly string[];
  readonly defer: "auto" | "on" | "off";
  readonly onChange: "block" | "warn" | "allow";
  /** `--trust-project` or SCORPIOX_TRUST_PROJECT. */
  readonly trustsProject: boolean;
  /** Characters of an exposed name (NM2). */
  readonly toolNameMax: number;
  /** Under which clients have us (NM5). */
  readonly ownKey: string;
  readonly version: string;
  /** Only what is asked for is done: nothing is started, published or written by itself. For commands. */
  readonly isPassive?: boolean;
  /** For a command that ends soon: no list of tools is written for others. */
  readonly isBrief?: boolean;
  /** Where results that are too long are kept; a later one stands in for one that cannot be written. */
  readonly resultFolders: readonly string[];
  /** Where the next start finds what to say of the servers with its first words; absent: nobody will ask. */
  readonly told?: ToldPlace;
  /** Of an HTTP server's own address: an entry with it is ourselves (CF20). */
  readonly ownUrl?: string;
}

/** What of `Upstreams` the Worker does just so. */
type SharedWork = Pick<
  Upstreams,
  "call" | "checkArguments" | "search" | "control" | "subscribe" | "unsubscribe" | "endClient"
>;

/** What the Worker does, apart from how messages reach it. `manager/` makes one; `worker/` carries its calls across. */
export interface UpstreamWork extends SharedWork, AsyncDisposable {
  /** Reads the configuration, publishes what the cache knows, then starts what has to be started. Never rejects. */
  start(): Promise<void>;
  infoList(): readonly ServerInfo[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** What it may ask of the main thread. */
export interface UpstreamHost {
  /** Starts a process in a group of its own, marked, guarded and reaped by the main thread. */
  startProcess(launch: ProcessLaunch): Promise<UpstreamProcess>;
  /** Puts a line into the server's log: what it printed that is no message, warnings about it. Secrets are out of it. */
  log(server: string, line: string): void;
  /** Bounded by whoever calls: at most one in 100 ms. */
  publish(snapshot: UpstreamSnapshot): void;
  notify(event: UpstreamEvent): void;
}

export type OpenUpstreams = (options: UpstreamOptions, host: UpstreamHost) => UpstreamWork;
