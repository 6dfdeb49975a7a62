import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";
import {
  httpDrainMsMax,
  httpFlushMsMax,
  httpIdleSMax,
  messageLineBytesMax,
} from "../base/limits.ts";
import { type HttpSettings, needsToken } from "../cli/http-settings.ts";
import type { StartUp } from "../cli/start-up.ts";
import { capConnections } from "../commands/process/connections.ts";
import { type Auth, type AuthSettings, createAuth } from "../server/auth/create-auth.ts";
import { decideListening } from "../server/auth/listen-policy.ts";
import type { HttpEndpoint } from "../server/http/http-endpoint.ts";
import { warmHandlers } from "../server/handlers/late.ts";
import type { Principals } from "../upstream/config/server-entry.ts";
import { createEndpoint, RefusalLog, type ServeHttpOptions } from "./create-endpoint.ts";
import { openEntrance } from "./entrance.ts";
import { openFleetOf } from "./fleet.ts";
import { LazyRouter } from "./lazy-router.ts";
import { OwnAddresses } from "./own-addresses.ts";
import { readTlsFiles, tlsFaultOf } from "./tls-files.ts";
import type { ProgramParts } from "./program-parts.ts";

/**
 * Serves clients over Streamable HTTP until a signal comes; then no new work is taken, and running requests
 * may finish.
 * @throws AppError `usage`, `config` or `system` when it cannot listen as configured
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
  const auth = await openAuth(settings, entrance.auth, start.dirs.scorpioxDir, warn);
  const transport = `http ${settings.host}:${settings.port}`;
  const principals = (): Principals => auth.authorizer.principals;
  let server: Bun.Server<undefined> | undefined = undefined;
  const addresses = new OwnAddresses(settings, () => server?.url);
  const router = new LazyRouter(parts, {
    ...options,
    start,
    transport,
    principals,
    ...addresses.forServers,
  });
  const refusals = new RefusalLog({
    scorpioxDir: start.dirs.scorpioxDir,
    isOn: start.config.settings.policy.audit,
    warn,
    addressOf: (request) => server?.requestIP(request)?.address,
  });
  const scopesWarning = auth.toolScopes.commandWarning(router.gateway.isWanted);
  if (scopesWarning !== undefined) warn(scopesWarning);
  const fleet = await openFleetOf(settings, warn);
  const endpoint = createEndpoint(router, start, settings, auth, {
    ...options,
    fleet,
    refusals,
    pagesOrigin: () => addresses.origin,
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
  void warmHandlers();
  router.warm();
  await untilSignal();
  await endServer(server, endpoint);
  stopCapping();
  await Promise.all([
    router[Symbol.asyncDispose](),
    refusals[Symbol.asyncDispose](),
    auth.stored?.[Symbol.asyncDispose](),
  ]);
  await fleet?.[Symbol.asyncDispose]();
  return 0;
}

async function endServer(server: Bun.Server<undefined>, endpoint: HttpEndpoint): Promise<void> {
  // It goes on listening: answers to questions, cancellations and `/readyz` must get through.
  await within(httpDrainMsMax, endpoint.drain());
  endpoint.close();
  const stopped = server.stop();
  // Last words, such as the results of subscriptions, are written but may not be out yet.
  server.closeIdleConnections();
  await within(httpFlushMsMax, stopped);
  await server.stop(true);
}

/** Where clients need a token at all, those that are made while the server runs are accepted too. */
async function openAuth(
  settings: HttpSettings,
  auth: AuthSettings,
  scorpioxDir: string,
  warn: (message: string) => void,
): Promise<Auth> {
  if (!needsToken(settings)) return createAuth(auth, warn);
  const { openTokenStore } = await import("../state/tokens/open-token-store.ts");
  return createAuth({ ...auth, tokenStore: openTokenStore(scorpioxDir) }, warn);
}

function listenWarnings(settings: HttpSettings): readonly string[] {
  const { host, tokenFile, hasMadeTokens, keySetUrl, tlsKey } = settings;
  const decision = decideListening({
    host,
    hasTokens: tokenFile !== undefined || hasMadeTokens,
    hasKeySet: keySetUrl !== undefined,
    hasTls: tlsKey !== undefined,
  });
  if (decision.kind === "refused") throw new AppError("usage", decision.reason);
  return decision.warnings;
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

/** Error codes of the system, each with its remedy. */
const remedies: ReadonlyMap<string | undefined, string> = new Map([
  ["EADDRINUSE", "the port is in use. Choose another one with --http, or 0 for a free one."],
  [
    "EADDRNOTAVAIL",
    "this machine has no such address. Give one of its own with --http, such as 127.0.0.1.",
  ],
  [
    "EACCES",
    "the system does not allow it, mostly because the port is below 1024. Choose a higher one with --http.",
  ],
]);

/** Why a server cannot listen at `address`. */
export function listenFault(address: string, error: unknown): AppError {
  const known = remedies.get(systemCodeOf(error));
  const text = known ?? `${messageOf(error)}. Choose another address or port with --http.`;
  return new AppError("system", `Cannot listen on ${address}: ${text}`, { cause: error });
}
