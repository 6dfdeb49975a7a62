import { riskOfHints, type ToolRisk, toolCallName, toolSearchName } from "../../base/tool-kinds.ts";
import type { OwnPlace } from "../../calls/call.ts";
import type { StartUp } from "../../cli/start-up.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import type { Auth } from "../../server/auth/create-auth.ts";
import type { Principal } from "../../server/auth/principal.ts";
import type { ClientProfile } from "../../server/connection/session.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";
import type { Application } from "../application.ts";
import { limitsFor, workspaceFallback } from "../program-parts.ts";
import type { Separation } from "../separation.ts";
import type { RefusalLog } from "./refusal-log.ts";

interface ProfileParts {
  readonly auth: Pick<Auth, "authorizer">;
  readonly start: StartUp;
  readonly scopes: ScopeGate;
  readonly hasPrincipals: boolean;
  readonly options: {
    readonly warn: (message: string) => void;
    readonly cwd: string;
    readonly separation: Separation;
  };
}

/** Makes the profile of each client: of a session, or of all modern requests of a principal. */
export function profilesOf({
  auth: { authorizer },
  start,
  scopes,
  hasPrincipals,
  options: { warn, cwd, separation },
}: ProfileParts): (id: string, principal: () => Principal) => ClientProfile {
  const fallbackDir = start.cwdFlag ?? workspaceFallback(cwd, start.dirs.homeDir);
  const { workspaceName } = start;
  return (id: string, principal: () => Principal): ClientProfile => ({
    id,
    limitsFor: (clientName) => limitsFor(start, clientName, warn),
    fallbackDir,
    owner: principal().id,
    identity: () => authorizer.tokenOf(principal()),
    workspaceName,
    ...(hasPrincipals && { person: principal, servers: () => principal().servers }),
    // Without tokens only this machine is listened to; with them anybody may sit behind one.
    isRemote: hasPrincipals,
    ...boundsOf(principal, scopes, separation),
  });
}

/** The tools and the folders that a principal may use. */
function boundsOf(
  principal: () => Principal,
  scopes: ScopeGate,
  separation: Separation,
): Pick<ClientProfile, "ownPlace" | "mayUse"> {
  const ownPlace = (): OwnPlace | undefined => separation.placeOf(principal().id);
  if (!scopes.isOn && !separation.hasWithheld) return { ownPlace };
  const mayUse = (toolName: string): boolean =>
    separation.isOffered(toolName) && scopes.allows(principal(), toolName);
  return { ownPlace, mayUse };
}

/** Which tools the scopes of a principal allow. */
export class ScopeGate {
  readonly #auth: Pick<Auth, "authorizer" | "toolScopes">;
  readonly #risks: ToolRisks;
  readonly #refusals: RefusalLog;

  constructor(
    auth: Pick<Auth, "authorizer" | "toolScopes">,
    app: Application,
    refusals: RefusalLog,
  ) {
    this.#auth = auth;
    this.#risks = new ToolRisks(app.enabledListings, () => app.upstreams.snapshot);
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

/** The risk of each tool by its name: own tools by their definition, those of upstream servers as their snapshot says. */
class ToolRisks {
  readonly #own: ReadonlyMap<string, ToolRisk>;
  readonly #snapshot: () => UpstreamSnapshot | undefined;
  #foreign:
    { readonly of: UpstreamSnapshot; readonly risks: ReadonlyMap<string, ToolRisk> } | undefined;

  constructor(
    own: readonly Pick<ToolListing, "name" | "annotations">[],
    snapshot: () => UpstreamSnapshot | undefined,
  ) {
    this.#own = new Map([
      ...own.map(({ name, annotations }) => [name, riskOfHints(annotations)] as const),
      [toolSearchName, "read"],
      // The tool that it calls is looked at again under its own name.
      [toolCallName, "read"],
    ]);
    this.#snapshot = snapshot;
  }

  /** A tool of which nothing is known may destroy. */
  riskOf(name: string): ToolRisk {
    return this.#own.get(name) ?? this.#foreignRisks()?.get(name) ?? "destructive";
  }

  #foreignRisks(): ReadonlyMap<string, ToolRisk> | undefined {
    const snapshot = this.#snapshot();
    if (snapshot === undefined) return undefined;
    if (this.#foreign?.of === snapshot) return this.#foreign.risks;
    const risks = new Map<string, ToolRisk>();
    for (const { name, risk } of snapshot.tools) risks.set(name, risk ?? "destructive");
    this.#foreign = { of: snapshot, risks };
    return risks;
  }
}
