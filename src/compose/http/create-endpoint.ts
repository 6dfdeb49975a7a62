import { httpPrincipalPartMax, httpRequestsMax } from "../../base/limits.ts";
import type { OwnPlace } from "../../calls/call.ts";
import { type HttpSettings, needsToken } from "../../cli/http-settings.ts";
import type { StartUp } from "../../cli/start-up.ts";
import type { AuthorizationRefusal, Authorizer } from "../../server/auth/authorizer.ts";
import type { Auth } from "../../server/auth/create-auth.ts";
import type { Principal } from "../../server/auth/principal.ts";
import type { ClientProfile } from "../../server/connection/session.ts";
import { HttpEndpoint } from "../../server/http/http-endpoint.ts";
import { createServerContext } from "../create-server-context.ts";
import type { ServerFleet } from "./fleet.ts";
import { createGuard, createHealth } from "./http-guards.ts";
import { lazyLoginPages } from "../lazy-login-pages.ts";
import type { LazyRouter } from "../lazy-router.ts";
import type { Operations } from "./operations.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { PrincipalWatch } from "./principal-watch.ts";
import { ScopeGate } from "./scope-gate.ts";
import type { ServerState } from "./server-state.ts";
import { type ToolServicesOptions, limitsFor, workspaceFallback } from "../program-parts.ts";
import type { Separation } from "../separation.ts";

export interface ServeHttpOptions extends Omit<ToolServicesOptions, "start"> {
  readonly cwd: string;
  /** Prints a line of data. */
  readonly print: (line: string) => void;
}

/** Of the ids of clients without sessions. */
const principalPrefix = "principal:";

interface EndpointOptions extends ServeHttpOptions {
  readonly fleet: ServerFleet;
  /** The origin at which browsers reach this server; undefined when it is not known. */
  readonly pagesOrigin: () => string | undefined;
  readonly refusals: RefusalLog;
  readonly refuse: (request: Request) => AuthorizationRefusal | undefined;
  readonly separation: Separation;
  /** Where connections come from. */
  readonly addressOf: (request: Request) => string | undefined;
  readonly state: ServerState;
  /** Absent where nothing is watched. */
  readonly operations: Operations | undefined;
}

/** Creates the endpoint that answers the requests of one address. */
export function createEndpoint(
  router: LazyRouter,
  start: StartUp,
  settings: HttpSettings,
  auth: Auth,
  options: EndpointOptions,
): HttpEndpoint {
  const { authorizer, stored, metadata } = auth;
  const { warn, refusals, refuse, addressOf, operations, fleet, pagesOrigin } = options;
  const hasPrincipals = needsToken(settings);
  const watch = new PrincipalWatch(authorizer, {
    here: () => router.serveSeveral(),
    elsewhere: () => fleet.places?.separate(),
  });
  const scopes = new ScopeGate(auth, router, refusals);
  const profile = profilesOf({ auth, start, scopes, hasPrincipals, options });
  authorizer.keepTokens(() => router.upstreams.tradesIdentity);
  const { stateKey } = fleet;
  const guard = createGuard(settings, warn);
  const endpoint = new HttpEndpoint({
    server: createServerContext(router, start, { stateKey, observer: operations?.observer }),
    path: settings.path,
    guard,
    pages: lazyLoginPages({ origin: pagesOrigin, guard, authorizer, upstreams: router.upstreams }),
    health: createHealth(settings, options),
    operatorPages: settings.metrics === "here" ? operations?.pages : undefined,
    refuseWatcher: (principal) => refuseWatcher(authorizer, principal),
    onResponse: operations?.onResponse,
    addressOf,
    authorize: (request) => refusals.watch(request, refuse(request) ?? watch.authorize(request)),
    tokenStateOf: (principal) =>
      fleet.places?.isRelayed(principal) === true
        ? authorizer.stateOfRelayed(principal)
        : authorizer.tokenStateOf(principal),
    principals: watch,
    refuseTool: scopes.refuse,
    documents: new Map(metadata?.paths.map((path) => [path, JSON.stringify(metadata.document)])),
    sessionProfile: (session) => profile(`session:${session.id}`, () => session.principal),
    principalProfile: (principal) => profile(principalPrefix + principal.id, () => principal),
    onEnd: (clientId) => {
      router.endClient(clientId);
      // A session that ends here may be in use at another replica.
      if (clientId.startsWith(principalPrefix)) fleet.places?.endClient(clientId);
    },
    requestsMax: httpRequestsMax,
    principalPart: hasPrincipals ? httpPrincipalPartMax : 1,
    ...fleet.forEndpoint,
    ssePair: settings.ssePair,
  });
  if (stored !== undefined) stored.onChange = () => endpoint.lookAtTokens();
  return endpoint;
}

/** Of tokens that have scopes: it lets them see metrics and details. */
const watcherScope = "metrics";

function refuseWatcher(authorizer: Authorizer, { scopes }: Principal): Response | undefined {
  if (scopes === undefined || scopes.has(watcherScope)) return undefined;
  const { body, ...init } = authorizer.insufficientScope([watcherScope]);
  return new Response(body, init);
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
function profilesOf({
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
