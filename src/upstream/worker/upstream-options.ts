import type { ProcessIdentity } from "../../commands/process/processes.ts";
import type { Environment } from "../../base/values.ts";
import type { ConfigDirs } from "../../config/places.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { PostgresPlace } from "../../state/store/postgres/store-url.ts";
import type { ToldPlace } from "../cache/told-servers.ts";
import type { Principals } from "../config/server-entry.ts";

/** The options in the Worker's first message, as plain data. */
export interface UpstreamOptions {
  readonly dirs: ConfigDirs;
  /**
   * scorpiox-code's own environment, for keys of configuration and `${VAR}`; never passed to a server unchanged (EN1).
   */
  readonly env: Environment;
  /** Absolute paths of `--config`, lowest precedence first; files of servers and files of keys. */
  readonly configFiles: readonly string[];
  /** `--strict-config`: only their servers are used (CF3). */
  readonly isStrict: boolean;
  readonly workspace?: string;
  /** The largest app support that a client has declared so far; `show-apps` changes it. */
  readonly apps?: AppSupport;
  /** The roots of the only client, once it has sent them. */
  readonly folders?: readonly string[];
  /** The principals at the start; `several-principals` changes them. */
  readonly principals?: Exclude<Principals, undefined>;
  /** The command line of this program: an entry that would start it again is skipped (CF20). */
  readonly ownCommand?: readonly string[];
  readonly defer: "auto" | "on" | "off";
  readonly onChange: "block" | "warn" | "allow";
  /** `--trust-project` or SCORPIOX_TRUST_PROJECT. */
  readonly trustsProject: boolean;
  /** Characters of an exposed name (NM2). */
  readonly toolNameMax: number;
  /** The name under which clients configure scorpiox-code (NM5). */
  readonly ownKey: string;
  readonly version: string;
  /** For commands: starts, publishes and writes nothing without a request. */
  readonly isPassive?: boolean;
  /** For a command that ends soon: writes no index of tools. */
  readonly isBrief?: boolean;
  /** Folders for results that are too long; the first that can be written is used. */
  readonly resultFolders: readonly string[];
  /**
   * The file with the texts about servers for the handshake of the next start; absent when there is none to prepare.
   */
  readonly told?: ToldPlace;
  /** The file with the lists for the first list of the next start; absent where none reads it. */
  readonly keptLists?: string;
  /** The address of this HTTP server: an entry with it is scorpiox-code itself (CF20). */
  readonly ownUrl?: string;
  /** Present over HTTP. */
  readonly userLogins?: UserLoginsOptions;
  /** The process that serves the client; absent: this one. The work may be done in another. */
  readonly clientProcess?: ProcessIdentity;
}

/** The options for logins of principals (TM2). */
export interface UserLoginsOptions {
  /** The origin at which browsers reach this server; undefined when nobody has said it. */
  readonly origin?: string | undefined;
  /** The keys that seal tokens (`parseSecretsKeys`); undefined: that of the keychain is used. */
  readonly keys?: string | undefined;
  /** Where logins are kept; undefined: in files of this machine. */
  readonly engine?: PostgresPlace | undefined;
  /** Why the keys cannot be read. */
  readonly fault?: string | undefined;
}
