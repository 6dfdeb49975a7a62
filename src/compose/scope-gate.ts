import type { Auth } from "../server/auth/create-auth.ts";
import type { Principal } from "../server/auth/principal.ts";
import type { LazyRouter } from "./lazy-router.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { ToolRisks } from "./tool-risks.ts";

/** Which tools the scopes of a principal allow. */
export class ScopeGate {
  readonly #auth: Pick<Auth, "authorizer" | "toolScopes">;
  readonly #risks: ToolRisks;
  readonly #refusals: RefusalLog;

  constructor(
    auth: Pick<Auth, "authorizer" | "toolScopes">,
    router: LazyRouter,
    refusals: RefusalLog,
  ) {
    this.#auth = auth;
    this.#risks = new ToolRisks(router.ownListings, () => router.upstreams.snapshot);
    this.#refusals = refusals;
  }

  /** False where every token may use every tool. */
  get isOn(): boolean {
    return this.#auth.toolScopes.all.length > 0;
  }

  allows(principal: Principal, toolName: string): boolean {
    return this.#auth.toolScopes.isAllowed(principal, toolName, this.#risks.riskOf(toolName));
  }

  /** The answer to a call that the scopes do not allow; it is logged. */
  readonly refuse = (principal: Principal, toolName: string): Response | undefined => {
    const { authorizer, toolScopes } = this.#auth;
    const risk = this.#risks.riskOf(toolName);
    if (toolScopes.isAllowed(principal, toolName, risk)) return undefined;
    const needed = toolScopes.requiredScopes(toolName, risk);
    const { body, ...init } = authorizer.insufficientScope(needed);
    const reason = "The token does not have the scopes of this tool.";
    this.#refusals.add({ status: init.status, reason, tool: toolName, owner: principal.id });
    return new Response(body, init);
  };
}
