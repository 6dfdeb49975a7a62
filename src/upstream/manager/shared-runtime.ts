import { Turns } from "../../base/turns.ts";
import { upstreamInstallsMax, upstreamStartingMax } from "../../base/upstream-limits.ts";
import { type CommonFacts, withClientFacts } from "./client-facts.ts";
import { ConnectionPool } from "./connection-pool.ts";
import type { ClientParts, SharedGround } from "./manager-parts.ts";
import type { TargetFacts } from "./target-facts.ts";

/**
 * Everything that the managers of several clients share on one thread (the hub). Each manager keeps its client's
 * configuration, approvals, secrets and lists; the connections belong to all of them together.
 */
export class SharedRuntime implements SharedGround {
  readonly pool: ConnectionPool;
  readonly turns = new Turns(upstreamStartingMax);
  readonly installTurns = new Turns(upstreamInstallsMax);
  readonly #common: CommonFacts;
  #loginPath: Promise<string | undefined> | undefined;

  /**
   * @param common its `loginPath` is called once, with the first server
   * @param lingerMs from the end of its last client to a server's end
   */
  constructor(common: CommonFacts, lingerMs = 0) {
    this.pool = new ConnectionPool(lingerMs);
    const loginPath = (): Promise<string | undefined> =>
      (this.#loginPath ??= common.loginPath().catch(() => undefined));
    this.#common = { user: common.user, loginPath };
  }

  withClient(facts: TargetFacts, parts: ClientParts): Promise<TargetFacts> {
    return withClientFacts(facts, parts, this.#common);
  }
}
