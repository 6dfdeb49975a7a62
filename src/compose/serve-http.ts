import { createAuth, type Auth } from "../server/auth/create-auth.ts";
import { decideListening } from "../server/auth/listen-policy.ts";
import type { Principal } from "../server/auth/principal.ts";
import type { AuthorizationRefusal } from "../server/auth/refusal.ts";
import { AppError, messageOf } from "../base/errors.ts";
import {
  httpDrainMsMax,
  httpFlushMsMax,
  httpPrincipalPartMax,
  httpIdleSMax,
  httpRequestsMax,
  messageLineBytesMax,
} from "../base/limits.ts";
import { capConnections } from "../commands/process/connection-cap.ts";
import type { HttpSettings } from "../cli/http-flags.ts";
import type { StartUp } from "../cli/start-up.ts";
import { HttpEndpoint } from "../server/http/http-endpoint.ts";
import type { ClientProfile } from "../server/connection/session.ts";
import { hostOfAddress } from "../server/transport/http/allowed-hosts.ts";
import { RequestGuard } from "../server/transport/http/request-guard.ts";
import type { Principals } from "../upstream/config/server-entry.ts";
import { limitsFor, workspaceFallback } from "./client-profile.ts";
import { createServerContext } from "./create-server-context.ts";
import { openEntrance } from "./entrance.ts";
import { LazyRouter } from "./lazy-router.ts";
import { listenFault } from "./listen-fault.ts";
import { PrincipalWatch } from "./principal-watch.ts";
import { RefusalLog } from "./refusal-log.ts";
import type { ProgramParts, ToolServicesOptions } from "./program-parts.ts";
import { readTlsFiles, tlsFaultOf } from "./tls-files.ts";

export interface ServeHttpOptions extends Omit<ToolServicesOptions, "start"> {
  readonly cwd: string;
  /** Prints a line of data. */
  readonly print: (line: string) => void;
}

/**
 * Serves clients over Streamable HTTP until a signal comes; then no new work is taken, and what is under way
 * may finish.
 * @throws AppError `usage`, `config` or `system` when it cannot listen as it was told
 */
export async function serveHttp(
  parts: ProgramParts,
  start: StartUp,
  settings: HttpSettings,
  options: ServeHttpOptions,
): Promise<number> {
  const { warn, print } = options;
  for (const warning of listenWarnings(settings)) warn(warning);
  const entrance = openEntrance(settings, start.dirs.scorpioxDir);
  const auth = await createAuth(entrance.auth, warn);
  const transport = `http ${settings.host}:${settings.port}`;
  const { authorizer } = auth;
  const principals = (): Principals => authorizer.principals;
  const router = new LazyRouter(parts, { ...options, start, transport, principals });
  let server: Bun.Server<undefined> | undefined = undefined;
  const refusals = new RefusalLog({
    scorpioxDir: start.dirs.scorpioxDir,
    isOn: start.config.settings.policy.audit,
    warn,
    addressOf: (request) => server?.requestIP(request)?.address,
  });
  const scopesWarning = auth.toolScopes.commandWarning(router.gateway.isWanted);
  if (scopesWarning !== undefined) warn(scopesWarning);
  const endpoint = createEndpoint(router, start, settings, auth, {
    ...options,
    refusals,
    refuse: (request) => entrance.refuse(request, server),
  });
  server = listen(settings, endpoint, warn);
  const closeIdle = (): void => void server.closeIdleConnections();
  const stopCapping = capConnections({ port: server.port ?? settings.port, closeIdle });
  const url = new URL(settings.path, server.url).href;
  const notice = entrance.notice(url);
  if (notice !== undefined) warn(notice);
  print(`Listening on ${url}`);
  if (settings.ssePair !== undefined) {
    print(`HTTP+SSE for older clients: ${new URL(settings.ssePair.stream, server.url).href}`);
  }
  router.warm();
  await untilSignal();
  // It goes on listening: answers to questions, cancellations and `/readyz` must get through.
  await within(httpDrainMsMax, endpoint.drain());
  endpoint.close();
  const stopped = server.stop();
  // Last words, such as the results of subscriptions, are written but may not be out yet.
  server.closeIdleConnections();
  await within(httpFlushMsMax, stopped);
  await server.stop(true);
  stopCapping();
  await Promise.all([router.close(), refusals.close()]);
  return 0;
}

function listenWarnings({ host, tokenFile, keySetUrl, tlsKey }: HttpSettings): readonly string[] {
  const decision = decideListening({
    host,
    hasTokens: tokenFile !== undefined,
    hasKeySet: keySetUrl !== undefined,
    hasTls: tlsKey !== undefined,
  });
  if (decision.kind === "refused") throw new AppError("usage", decision.reason);
  return decision.warnings;
}

interface EndpointOptions extends ServeHttpOptions {
  readonly refusals: RefusalLog;
  readonly refuse: (request: Request) => AuthorizationRefusal | undefined;
}

function createEndpoint(
  router: LazyRouter,
  start: StartUp,
  settings: HttpSettings,
  { authorizer, toolScopes, metadata }: Auth,
  { warn, cwd, refusals, refuse }: EndpointOptions,
): HttpEndpoint {
  const hasPrincipals = settings.tokenFile !== undefined || settings.keySetUrl !== undefined;
  const fallbackDir = start.cwdFlag ?? workspaceFallback(cwd, start.dirs.homeDir);
  const { workspaceName } = start;
  const watch = new PrincipalWatch(authorizer, () => router.upstreams.serveSeveral());
  const profile = (id: string, principal: () => Principal): ClientProfile => ({
    id,
    limitsFor: (clientName) => limitsFor(start, clientName, warn),
    fallbackDir,
    owner: principal().id,
    workspaceName,
    // Without tokens only this machine is listened to; with them anybody may sit behind one.
    isRemote: hasPrincipals,
    ...(toolScopes.all.length === 0
      ? {}
      : { mayUse: (toolName) => toolScopes.isAllowed(principal(), toolName) }),
  });
  return new HttpEndpoint({
    server: createServerContext(router, start),
    path: settings.path,
    guard: createGuard(settings, warn),
    authorize: (request) => refusals.watch(request, refuse(request) ?? watch.authorize(request)),
    standingOf: (principal) => authorizer.standingOf(principal),
    refuseTool: (principal, toolName) => {
      if (toolScopes.isAllowed(principal, toolName)) return undefined;
      const { body, ...init } = authorizer.insufficientScope(toolScopes.requiredScopes(toolName));
      const reason = "The token does not have the scopes of this tool.";
      refusals.add({ status: init.status, reason, tool: toolName, owner: principal.id });
      return new Response(body, init);
    },
    documents: new Map(metadata?.paths.map((path) => [path, JSON.stringify(metadata.document)])),
    sessionProfile: (session) => profile(`session:${session.id}`, () => session.principal),
    principalProfile: (principal) => profile(`principal:${principal.id}`, () => principal),
    onEnd: (clientId) => router.endClient(clientId),
    requestsMax: httpRequestsMax,
    principalPart: hasPrincipals ? httpPrincipalPartMax : 1,
    ssePair: settings.ssePair,
    hasMetrics: settings.hasMetrics,
  });
}

/** The address that it was told to listen on is the operator's own word: clients may use it. */
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

function listen(
  { host, port, tlsCertificate, tlsKey }: HttpSettings,
  endpoint: HttpEndpoint,
  warn: (message: string) => void,
): Bun.Server<undefined> {
  const tls =
    tlsCertificate === undefined || tlsKey === undefined
      ? {}
      : { tls: readTlsFiles(tlsCertificate, tlsKey) };
  try {
    return Bun.serve({
      hostname: host,
      port,
      fetch: endpoint.fetch,
      maxRequestBodySize: messageLineBytesMax,
      idleTimeout: httpIdleSMax,
      development: false,
      // Otherwise a second server on this port would take half of the requests, and of no session all.
      reusePort: false,
      error: (error) => {
        warn(`internal error: ${messageOf(error)}`);
        return new Response("internal error\n", { status: 500 });
      },
      ...tls,
    });
  } catch (error) {
    const tlsFault = tlsFaultOf(error);
    if (tlsFault !== undefined) throw tlsFault;
    throw listenFault(`${host}:${port}`, error);
  }
}

function untilSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, resolve);
  return promise;
}

/** Waits for `work`, but not longer than `limitMs`. */
async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handle = setTimeout(resolve, limitMs);
  await Promise.race([work, promise]);
  clearTimeout(handle);
}
