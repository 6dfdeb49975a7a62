import { httpDrainMsMax, httpFlushMsMax } from "../base/limits.ts";
import { type HttpSettings, needsToken } from "../cli/http-settings.ts";
import type { StartUp } from "../cli/start-up.ts";
import { capConnections } from "../commands/process/connections.ts";
import { type Auth, type AuthSettings, createAuth } from "../server/auth/create-auth.ts";
import type { HttpEndpoint } from "../server/http/http-endpoint.ts";
import { warmHandlers } from "../server/handlers/late.ts";
import type { Principals } from "../upstream/config/server-entry.ts";
import { createEndpoint, type ServeHttpOptions } from "./create-endpoint.ts";
import { openEntrance } from "./entrance.ts";
import { ServerFleet } from "./fleet.ts";
import { LazyRouter } from "./lazy-router.ts";
import { OwnAddresses } from "./own-addresses.ts";
import { listen, listenWarnings } from "./listening.ts";
import type { ProgramParts } from "./program-parts.ts";
import { RefusalLog } from "./refusal-log.ts";
import { withSeparation } from "./separation.ts";

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
  const warnIf = (text: string | undefined): void => void (text !== undefined && warn(text));
  for (const warning of listenWarnings(settings)) warn(warning);
  const entrance = openEntrance(settings, start.dirs.scorpioxDir);
  const auth = await openAuth(settings, entrance.auth, start.dirs.scorpioxDir, warn);
  const principals = (): Principals => auth.authorizer.principals;
  const served = await withSeparation(options, { settings, start, principals });
  const fleet = await ServerFleet.open(settings, warn);
  let server: Bun.Server<undefined> | undefined = undefined;
  const addresses = new OwnAddresses(settings, () => server?.url);
  const router = new LazyRouter(parts, {
    ...served,
    ...addresses.forServers,
    ...fleet.forRouter,
    start,
    transport: `http ${settings.host}:${settings.port}`,
    principals,
  });
  const refusals = new RefusalLog({
    scorpioxDir: start.dirs.scorpioxDir,
    isOn: start.config.settings.policy.audit,
    warn,
    addressOf: (request) => server?.requestIP(request)?.address,
  });
  warnIf(auth.toolScopes.commandWarning(router.gateway.isWanted));
  await fleet.share(router.changes);
  const endpoint = createEndpoint(router, start, settings, auth, {
    ...served,
    fleet,
    refusals,
    pagesOrigin: () => addresses.origin,
    refuse: (request) => entrance.refuse(request, server),
  });
  await fleet.join(router, endpoint);
  server = listen(settings, endpoint, warn);
  const closeIdle = (): void => void server.closeIdleConnections();
  const stopCapping = capConnections({ port: server.port ?? settings.port, closeIdle });
  warnIf(entrance.notice(new URL(settings.path, server.url).href));
  announce(settings, server.url, print);
  void warmHandlers();
  router.warm();
  await untilSignal();
  await endServing(server, endpoint, fleet);
  stopCapping();
  await Promise.all([
    router[Symbol.asyncDispose](),
    refusals[Symbol.asyncDispose](),
    auth.stored?.[Symbol.asyncDispose](),
  ]);
  await fleet[Symbol.asyncDispose]();
  return 0;
}

function announce(
  { path, ssePair }: HttpSettings,
  origin: URL,
  print: (line: string) => void,
): void {
  print(`Listening on ${new URL(path, origin).href}`);
  if (ssePair === undefined) return;
  print(`HTTP+SSE for older clients: ${new URL(ssePair.stream, origin).href}`);
}

/** It goes on listening for a while: answers to questions, cancellations and `/readyz` must get through. */
async function endServing(
  server: Bun.Server<undefined>,
  endpoint: HttpEndpoint,
  fleet: ServerFleet,
): Promise<void> {
  await within(httpDrainMsMax, Promise.all([endpoint.drain(), fleet.drain()]));
  fleet.leave();
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

function untilSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, resolve);
  return promise;
}

/** Waits for `work`, but not longer than `limitMs`. */
async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const handle = setTimeout(resolve, limitMs);
  await Promise.race([work, promise]);
  clearTimeout(handle);
}
