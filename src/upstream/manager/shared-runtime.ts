import { Turns } from "../../base/turns.ts";
import { upstreamInstallsMax, upstreamStartingMax } from "../../base/upstream-limits.ts";
import type { ServerEnvironmentInput } from "../process/server-environment.ts";
import { ConnectionPool } from "./connection-pool.ts";

export interface SharedRuntimeParts {
  /** The user of all clients. */
  readonly user: ServerEnvironmentInput["user"];
  /** PATH of the user's login shell; undefined when it cannot be found out in time. Called once. */
  readonly loginPath: () => Promise<string | undefined>;
}

/**
 * Everything that the managers of several clients share on one thread (the hub). Each manager keeps its client's
 * configuration, approvals, secrets and lists; the connections belong to all of them together.
 */
export class SharedRuntime {
  readonly pool = new ConnectionPool();
  /** Of starts of servers. */
  readonly turns = new Turns(upstreamStartingMax);
  /** Of fetching packages. */
  readonly installTurns = new Turns(upstreamInstallsMax);
  readonly user: ServerEnvironmentInput["user"];
  readonly #parts: SharedRuntimeParts;
  #loginPath: Promise<string | undefined> | undefined;

  constructor(parts: SharedRuntimeParts) {
    this.#parts = parts;
    this.user = parts.user;
  }

  /** The same for all clients: with another answer for a later one, they would not share. */
  loginPath(): Promise<string | undefined> {
    this.#loginPath ??= this.#parts.loginPath().catch(() => undefined);
    return this.#loginPath;
  }
}
