import type { Turns } from "../../base/turns.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { CatalogueCache } from "../cache/catalogue-cache.ts";
import type { ExpandedLaunch } from "../config/expand-launch.ts";
import type { ConfiguredServer, Principals, ToolRule } from "../config/server-entry.ts";
import type { OpenConnection } from "../connect/connection.ts";
import type { Installer } from "../install/installer.ts";
import type { LoginAsker } from "../oauth/login-asker.ts";
import type { OpenLogin } from "../oauth/open-login.ts";
import type { SavedResults } from "../results/saved-results.ts";
import type { SchemaChecks } from "../schema/schema-checks.ts";
import type { LockReading } from "../trust/lock/read-lock.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import type { FailureReason } from "../upstreams.ts";
import type { UpstreamHost, UpstreamOptions } from "../worker/upstream-options.ts";
import type { ConnectionTime } from "./connection-parts.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { CurrentProject } from "./current-project.ts";

/** What happens at a server beside its state. */
export interface ServerEvents {
  onResourceUpdated(server: string, uri: string): void;
  /** It failed outside of a call. */
  onDown(server: string, reason: FailureReason, text: string): void;
  /** A new connection of its lists is there: subscriptions have to be made again. */
  onConnected(server: string): void;
}

/** What all servers share. */
export interface ManagerParts {
  /** Their `dirs` are those of the present project. */
  readonly options: UpstreamOptions;
  readonly project: CurrentProject;
  readonly host: UpstreamHost;
  readonly openConnection: OpenConnection;
  readonly expand: (server: ConfiguredServer) => Promise<ExpandedLaunch>;
  /** Tokens for a server of HTTP; undefined = it gets none. Never rejects. */
  readonly loginOf: (server: ConfiguredServer, url: string) => Promise<OpenLogin | undefined>;
  /** Has the user log in through their client; true = they have. Absent: clients may be on other machines. Never rejects. */
  readonly askToLogIn?: LoginAsker["logIn"];
  /** Who is served now. */
  readonly principals: () => Principals;
  /** Whether some client shows the apps of servers. */
  readonly apps: () => AppSupport | undefined;
  /** Fetches what servers are started from. */
  readonly installer: Pick<Installer, "prepare">;
  readonly trust: TrustStore;
  /** The project's `mcp.lock` as it was last read. */
  readonly lock: () => LockReading;
  readonly cache: CatalogueCache;
  readonly results: SavedResults;
  readonly checks: SchemaChecks;
  readonly pool: ConnectionPool;
  readonly turns: Turns;
  /** Milliseconds on a clock that never goes back: of calls. */
  readonly clock: () => number;
  /** Aborted with the end of all: what runs to fill in references ends. */
  readonly ending: AbortController;
  readonly linkTime: ConnectionTime;
  /** Globs of the present configuration. */
  readonly rules: () => readonly ToolRule[];
  /** Something of a server is not as it was. */
  readonly onChange: () => void;
}
