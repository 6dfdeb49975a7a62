import type { Turns } from "../../base/turns.ts";
import type { ConfigDirs } from "../../config/places.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { CatalogueCache } from "../cache/catalogue-cache.ts";
import type { ExpandedLaunch } from "../config/expand-launch.ts";
import type { ConfiguredServer, Principals, ToolRule } from "../config/server-entry.ts";
import type { OpenConnection } from "../connect/connection.ts";
import type { Installer } from "../install/installer.ts";
import type { LoginAsker, OpenLogin } from "../oauth/open-login.ts";
import type { SavedResults } from "../results/saved-results.ts";
import type { SchemaChecks } from "../schema/schema-checks.ts";
import type { LockReading } from "../trust/lock/read-lock.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import type { FailureReason } from "../upstreams.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";
import type { ConnectionTime, Hold } from "./connection-parts.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { LazyUserLogins } from "./lazy-user-logins.ts";
import type { TargetFacts } from "./target-facts.ts";

/** Events of a server other than changes of its state. */
export interface ServerEvents {
  onResourceUpdated(server: string, uri: string): void;
  /** It failed outside of a call. */
  onDown(server: string, reason: FailureReason, text: string): void;
  /** Its lists have a new connection: subscriptions must be made again. */
  onConnected(server: string): void;
}

/** The common ground of managers that share connections. */
export interface SharedGround {
  readonly pool: ConnectionPool;
  /** Limits the servers that start at the same time. */
  readonly turns: Turns;
  /** Limits the packages that are fetched at the same time. */
  readonly installTurns: Turns;
  /** Completes the facts about a server by those about the client of a manager. Never rejects. */
  withClient(facts: TargetFacts, parts: ClientParts): Promise<TargetFacts>;
  /** The right to run a server that only one hub of this user may run (HB8). Never throws. */
  holdExclusive(facts: TargetFacts): Hold;
}

/** The parts of a manager that show its client. */
export type ClientParts = Pick<ManagerParts, "options" | "project" | "principals" | "cache">;

/** The parts that all servers share. */
export interface ManagerParts {
  /** Their `dirs` are those of the current project. */
  readonly options: UpstreamOptions;
  readonly project: CurrentProject;
  readonly host: UpstreamHost;
  readonly openConnection: OpenConnection;
  readonly expand: (server: ConfiguredServer) => Promise<ExpandedLaunch>;
  /** Tokens for a server of HTTP; undefined when it gets none. Never rejects. */
  readonly loginOf: (server: ConfiguredServer, url: string) => Promise<OpenLogin | undefined>;
  /**
   * Asks the user to log in through their client; true after a login. Absent when clients may be on other machines.
   * Never rejects.
   */
  readonly askToLogIn?: LoginAsker["logIn"];
  /** Logins of principals; absent when clients do not come over HTTP. */
  readonly userLogins?: LazyUserLogins;
  /** The principals that are served now. */
  readonly principals: () => Principals;
  /** The app support of clients; undefined when none shows apps. */
  readonly apps: () => AppSupport | undefined;
  /** Fetches the packages of servers. */
  readonly installer: Pick<Installer, "prepare">;
  readonly trust: TrustStore;
  /** The project's `mcp.lock` as it was last read. */
  readonly lock: () => LockReading;
  readonly cache: CatalogueCache;
  readonly results: SavedResults;
  readonly checks: SchemaChecks;
  readonly pool: ConnectionPool;
  /** Present in the hub: the managers of other clients share connections with this one. */
  readonly shared?: SharedGround;
  /** Names this manager among those that share `pool`. */
  readonly manager: string;
  readonly turns: Turns;
  /** Aborted when the Worker ends; ends the commands that fill in references. */
  readonly ending: AbortController;
  readonly connectionTime: ConnectionTime;
  /** Globs of the current configuration. */
  readonly rules: () => readonly ToolRule[];
  /** A server has changed. */
  readonly onChange: () => void;
}

/** The project of the current servers, and the client's folders; both may change at run time. */
export class CurrentProject {
  /** The folders, one object for the life of the process; its `projectDir` is the current one. */
  readonly dirs: ConfigDirs;
  #folders: readonly string[] = [];
  #projectDir: string | undefined;

  constructor(dirs: ConfigDirs) {
    this.#projectDir = dirs.projectDir;
    const current = (): string | undefined => this.#projectDir;
    this.dirs = {
      ...dirs,
      get projectDir() {
        return current();
      },
    };
  }

  /** The client's roots, or the project's folder when it has none. */
  get folders(): readonly string[] {
    if (this.#folders.length > 0) return this.#folders;
    return this.#projectDir === undefined ? [] : [this.#projectDir];
  }

  /** Sets both; returns which of them changed. */
  become(
    projectDir: string | undefined,
    folders: readonly string[],
  ): { readonly project: boolean; readonly folders: boolean } {
    const before = [this.#projectDir, JSON.stringify(this.folders)];
    this.#projectDir = projectDir;
    this.#folders = folders;
    return {
      project: before[0] !== projectDir,
      folders: before[1] !== JSON.stringify(this.folders),
    };
  }
}
