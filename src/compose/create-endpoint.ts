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
import { hostOfAddress, RequestGuard } from "../server/transport/http/request-guard.ts";
import { createServerContext } from "./create-server-context.ts";
import { hubGaugesOf } from "./hub-look.ts";
import type { ServerFleet } from "./fleet.ts";
import { lazyLoginPages } from "./lazy-login-pages.ts";
import type { LazyRouter } from "./lazy-router.ts";
import type { RefusalLog } from "./refusal-log.ts";
import { ScopeGate } from "./scope-gate.ts";
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
}

/** Creates the endpoint that answers the requests of one address. */
export function createEndpoint(
  router: LazyRouter,
  start: StartUp,
  settings: HttpSettings,
  auth: Auth,
  { warn, cwd, refusals, refuse, fleet, pagesOrigin, separation }: EndpointOptions,
): HttpEndpoint {
  const { authorizer, stored, metadata } = auth;
  const hasPrincipals = needsToken(settings);
  const fallbackDir = start.cwdFlag ?? workspaceFallback(cwd, start.dirs.homeDir);
  const watch = new PrincipalWatch(authorizer, () => router.serveSeveral());
  const scopes = new ScopeGate(auth, router, refusals);
  const profile = (id: string, principal: () => Principal): ClientProfile => ({
    id,
    limitsFor: (clientName) => limitsFor(start, clientName, warn),
    fallbackDir,
    owner: principal().id,
    identity: () => authorizer.tokenOf(principal()),
    workspaceName: start.workspaceName,
    ...(hasPrincipals && { person: principal, servers: () => principal().servers }),
    // Without tokens only this machine is listened to; with them anybody may sit behind one.
    isRemote: hasPrincipals,
    ...boundsOf(principal, scopes, separation),
  });
  authorizer.keepTokens(() => router.upstreams.tradesIdentity);
  const guard = createGuard(settings, warn);
  const endpoint = new HttpEndpoint({
    server: createServerContext(router, start, fleet.stateKey),
    path: settings.path,
    guard,
    pages: lazyLoginPages({
      origin: pagesOrigin,
      guard,
      authorizer,
      upstreams: router.upstreams,
    }),
    authorize: (request) => refusals.watch(request, refuse(request) ?? watch.authorize(request)),
    tokenStateOf: (principal) =>
      fleet.places?.isRelayed(principal) === true ? "valid" : authorizer.tokenStateOf(principal),
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
    hasMetrics: settings.hasMetrics,
    hubGauges: settings.hasMetrics ? hubGaugesOf(start) : undefined,
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

/** The operator chose the address to listen on: clients may use it as host. */
function createGuard(settings: HttpSettings, warn: (message: string) => void): RequestGuard {
  const { host, allowedHosts, allowedOrigins } = settings;
  const own = hostOfAddress(host);
  if (own === undefined && allowedHosts.length === 0) warn(namelessWarning(host));
  return new RequestGuard({
    allowedHosts: own === undefined ? allowedHosts : [...allowedHosts, own],
    allowedOrigins,
  });
}

function namelessWarning(host: string): string {
  return (
    `Listening on "${host}", which is every address: requests for other names than localhost are refused (403). ` +
    "Give the names and addresses that clients use with --allow-host."
  );
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
