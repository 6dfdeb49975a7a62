import { Turns } from "../../base/turns.ts";
import { upstreamInstallsMax, upstreamStartingMax } from "../../base/upstream-limits.ts";
import { type CommonFacts, withClientFacts } from "./client-facts.ts";
import { ConnectionPool } from "./connection-pool.ts";
import type { Hold } from "./connection-parts.ts";
import { exclusiveUseOf } from "./exclusive-use.ts";
import type { ClientParts, SharedGround } from "./manager-parts.ts";
import type { TargetFacts } from "./target-facts.ts";

/** Reserves a server with that identity for this hub, which may do so several times. Never throws. */
export type HoldExclusive = (identity: string) => ExclusiveHold;

export type ExclusiveHold =
  | { readonly kind: "granted"; readonly right: Disposable }
  /** Another hub runs it: which one, as the beginning of a sentence. */
  | { readonly kind: "refused"; readonly holder: string };

/**
 * Everything that the managers of several clients share on one thread (the hub). Each manager keeps its client's
 * configuration, approvals, secrets and lists; the connections belong to all of them together.
 */
export class SharedRuntime implements SharedGround {
  readonly pool: ConnectionPool;
  readonly turns = new Turns(upstreamStartingMax);
  readonly installTurns = new Turns(upstreamInstallsMax);
  readonly #common: CommonFacts;
  readonly #hold: HoldExclusive | undefined;
  #loginPath: Promise<string | undefined> | undefined;

  /**
   * @param common its `loginPath` is called once, with the first server
   * @param lingerMs from the end of its last client to a server's end
   * @param hold absent: there are no other hubs
   */
  constructor(common: CommonFacts, lingerMs = 0, hold?: HoldExclusive) {
    this.#hold = hold;
    this.pool = new ConnectionPool(lingerMs);
    const loginPath = (): Promise<string | undefined> =>
      (this.#loginPath ??= common.loginPath().catch(() => undefined));
    this.#common = { user: common.user, loginPath };
  }

  withClient(facts: TargetFacts, parts: ClientParts): Promise<TargetFacts> {
    return withClientFacts(facts, parts, this.#common);
  }

  holdExclusive(facts: TargetFacts): Hold {
    const use = exclusiveUseOf(facts);
    if (use === undefined || this.#hold === undefined) return { kind: "not_needed" };
    const held = this.#hold(use.identity);
    if (held.kind === "granted") return held;
    const reason = `${held.holder}, and ${use.reason}. It starts here once that hub has ended it`;
    return { kind: "refused", reason };
  }
}
