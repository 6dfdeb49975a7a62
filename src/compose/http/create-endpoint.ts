import { httpPrincipalPartMax, httpRequestsMax } from "../../base/limits.ts";
import { type HttpSettings, needsToken } from "../../cli/http-settings.ts";
import type { StartUp } from "../../cli/start-up.ts";
import type { AuthorizationRefusal, Authorizer } from "../../server/auth/authorizer.ts";
import type { Auth } from "../../server/auth/create-auth.ts";
import type { Principal } from "../../server/auth/principal.ts";
import { HttpEndpoint } from "../../server/http/http-endpoint.ts";
import { createServerContext } from "../create-server-context.ts";
import type { ServerFleet } from "./fleet.ts";
import { createRequestGuard, createHealth } from "./http-guards.ts";
import { lazyLoginPages } from "./lazy-login-pages.ts";
import type { Application } from "../application.ts";
import type { Operations } from "./operations.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { PrincipalWatch } from "./principal-watch.ts";
import { profilesOf, ScopeGate } from "./client-profiles.ts";
import type { PartsHealth } from "./parts-health.ts";
import type { ApplicationOptions } from "../program-parts.ts";
import type { Separation } from "../separation.ts";

export interface ServeHttpOptions extends Omit<ApplicationOptions, "start"> {
  readonly cwd: string;
  /** Prints a line of data. */
  readonly print: (line: string) => void;
}

/** The prefix of the ids of clients without sessions. */
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
  readonly state: PartsHealth;
  /** Absent where nothing is watched. */
  readonly operations: Operations | undefined;
}

/** Creates the endpoint that answers the requests of one address. */
export function createEndpoint(
  app: Application,
  start: StartUp,
  settings: HttpSettings,
  auth: Auth,
  options: EndpointOptions,
): HttpEndpoint {
  const { authorizer, stored, metadata } = auth;
  const { warn, refusals, refuse, addressOf, operations, fleet, pagesOrigin } = options;
  const hasPrincipals = needsToken(settings);
  const watch = new PrincipalWatch(authorizer, {
    here: () => app.serveSeveral(),
    elsewhere: () => fleet.places?.separate(),
  });
  const scopes = new ScopeGate(auth, app, refusals);
  const profile = profilesOf({ auth, start, scopes, hasPrincipals, options });
  authorizer.keepTokens(() => app.upstreams.tradesIdentity);
  const { stateKey } = fleet;
  const guard = createRequestGuard(settings, warn);
  const endpoint = new HttpEndpoint({
    server: createServerContext(app, start, { stateKey, observer: operations?.observer }),
    path: settings.path,
    guard,
    pages: lazyLoginPages({ origin: pagesOrigin, guard, authorizer, upstreams: app.upstreams }),
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
      app.endClient(clientId);
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

/** A scope: among the scopes of a token, it lets them see metrics and details. */
const watcherScope = "metrics";

function refuseWatcher(authorizer: Authorizer, { scopes }: Principal): Response | undefined {
  if (scopes === undefined || scopes.has(watcherScope)) return undefined;
  const { body, ...init } = authorizer.insufficientScope([watcherScope]);
  return new Response(body, init);
}
