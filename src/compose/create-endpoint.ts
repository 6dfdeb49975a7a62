import { httpPrincipalPartMax, httpRequestsMax } from "../base/limits.ts";
import type { OwnPlace } from "../calls/call.ts";
import { type HttpSettings, needsToken } from "../cli/http-settings.ts";
import type { StartUp } from "../cli/start-up.ts";
import {
  type Authorization,
  type AuthorizationRefusal,
  type IncomingRequest,
  type Authorizer,
} from "../server/auth/authorizer.ts";
import type { Auth } from "../server/auth/create-auth.ts";
import type { Principal } from "../server/auth/principal.ts";
import type { ClientProfile } from "../server/connection/session.ts";
import { HttpEndpoint } from "../server/http/http-endpoint.ts";
import { createServerContext } from "./create-server-context.ts";
import type { ServerFleet } from "./fleet.ts";
import { createGuard, createHealth } from "./http-guards.ts";
import { lazyLoginPages } from "./lazy-login-pages.ts";
import type { LazyRouter } from "./lazy-router.ts";
import type { Operations } from "./operations.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { ScopeGate } from "./scope-gate.ts";
import type { ServerState } from "./server-state.ts";
import { limitsFor, type ToolServicesOptions, workspaceFallback } from "./program-parts.ts";
import type { Separation } from "./separation.ts";

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
  const watch = new PrincipalWatch(authorizer, () => router.serveSeveral());
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
  readonly options: Pick<EndpointOptions, "warn" | "cwd" | "separation">;
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

/** Of tokens that have scopes: it lets them see metrics and details. */
const watcherScope = "metrics";

function refuseWatcher(authorizer: Authorizer, { scopes }: Principal): Response | undefined {
  if (scopes === undefined || scopes.has(watcherScope)) return undefined;
  const { body, ...init } = authorizer.insufficientScope([watcherScope]);
  return new Response(body, init);
}

/**
 * Lets requests in, and ensures that connections that one principal has used are not shared with a second: the first
 * request of the second waits until that is done.
 */
class PrincipalWatch {
  readonly #authorizer: Authorizer;
  readonly #onSeveral: () => Promise<unknown>;
  #isTold: boolean;
  #telling: Promise<unknown> | undefined;

  /** @param onSeveral told once, unless there are several from the start */
  constructor(authorizer: Authorizer, onSeveral: () => Promise<unknown>) {
    this.#authorizer = authorizer;
    this.#onSeveral = onSeveral;
    this.#isTold = authorizer.principals === "several";
  }

  authorize(request: IncomingRequest): Authorization | Promise<Authorization> {
    const answer = this.#authorizer.authorize(request);
    if (!this.#isTold && this.#authorizer.principals === "several") this.#tell();
    const telling = this.#telling;
    return telling === undefined ? answer : telling.then(() => answer);
  }

  #tell(): void {
    this.#isTold = true;
    const done = (): void => {
      this.#telling = undefined;
    };
    // It fails with the Worker of the servers alone, whose connections end with it.
    this.#telling = this.#onSeveral().then(done, done);
  }
}
