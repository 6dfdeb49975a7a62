import { type HttpSettings, needsToken } from "../../cli/http-settings.ts";
import type { StartUp } from "../../cli/start-up.ts";
import { type Auth, type AuthSettings, createAuth } from "../../server/auth/create-auth.ts";
import { warmHandlers } from "../../server/handlers/late.ts";
import type { Principals } from "../../upstream/config/server-entry.ts";
import { createEndpoint, type ServeHttpOptions } from "./create-endpoint.ts";
import { openEntrance } from "./entrance.ts";
import { ServerFleet } from "./fleet.ts";
import { Application } from "../application.ts";
import { listenWarnings, OwnAddresses } from "./listening.ts";
import type { Operations, OperationsParts } from "./operations.ts";
import type { ProgramParts } from "../program-parts.ts";
import { RefusalLog } from "./refusal-log.ts";
import { serveUntilSignal } from "./serve-until-signal.ts";
import { PartsHealth } from "./parts-health.ts";
import { withSeparation } from "../separation.ts";

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
  const { warn, env } = options;
  const warnIf = (text: string | undefined): void => void (text !== undefined && warn(text));
  for (const warning of listenWarnings(settings)) warn(warning);
  const entrance = openEntrance(settings, start.dirs.scorpioxDir);
  const auth = await openAuth(settings, entrance.auth, start.dirs.scorpioxDir, options);
  const principals = (): Principals => auth.authorizer.principals;
  const { cards } = parts;
  const served = await withSeparation(options, { settings, start, principals, cards });
  const fleet = await ServerFleet.open(settings, warn);
  let server: Bun.Server<undefined> | undefined = undefined;
  const addresses = new OwnAddresses(settings, options.storePlace, () => server?.url);
  const state = new PartsHealth(start, options.storePlace);
  const { onWorker } = state;
  const app = new Application(parts, {
    ...served,
    ...addresses.forServers,
    ...fleet.forApplication,
    start,
    transport: `http ${settings.host}:${settings.port}`,
    principals,
    onWorker,
  });
  const addressOf = (request: Request): string | undefined => server?.requestIP(request)?.address;
  const refusals = new RefusalLog({
    scorpioxDir: start.dirs.scorpioxDir,
    isOn: start.config.settings.policy.audit,
    warn,
    addressOf,
  });
  warnIf(auth.toolScopes.commandWarning(app.gateway.isWanted));
  await fleet.share(app.changes, state);
  const operations = await openOperations({ settings, start, env, warn, state, app });
  const endpoint = createEndpoint(app, start, settings, auth, {
    ...served,
    fleet,
    refusals,
    pagesOrigin: () => addresses.origin,
    refuse: (request) => entrance.refuse(request, server),
    addressOf,
    state,
    operations,
  });
  operations?.attach(endpoint);
  await fleet.join(app, endpoint);
  const onListening = (listening: Bun.Server<undefined>): void => {
    server = listening;
    warnIf(entrance.notice(new URL(settings.path, listening.url).href));
    void warmHandlers();
    app.warm();
  };
  await serveUntilSignal({ settings, endpoint, fleet, operations, state, onListening, options });
  await endParts([app, refusals, auth.stored], fleet, operations);
  return 0;
}

/** In an order in which each can still use those behind it; the access log has the end of calls that were cut short. */
async function endParts(
  first: readonly (AsyncDisposable | undefined)[],
  ...rest: readonly (AsyncDisposable | undefined)[]
): Promise<void> {
  await Promise.all(first.map(async (part) => part?.[Symbol.asyncDispose]()));
  for (const part of rest) await part?.[Symbol.asyncDispose]();
}

async function openOperations(parts: OperationsParts): Promise<Operations | undefined> {
  const { metrics, accessLog, otlpUrl } = parts.settings;
  const isSent = otlpUrl !== undefined || (parts.env["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "") !== "";
  if (metrics === undefined && accessLog === undefined && !isSent) return undefined;
  const { Operations: Opened } = await import("./operations.ts");
  return Opened.open(parts);
}

/** Where clients need a token at all, those that are made while the server runs are accepted too. */
async function openAuth(
  settings: HttpSettings,
  auth: AuthSettings,
  scorpioxDir: string,
  { warn, storePlace }: Pick<ServeHttpOptions, "warn" | "storePlace">,
): Promise<Auth> {
  if (!needsToken(settings)) return createAuth(auth, warn);
  const { openTokenStore } = await import("../../state/tokens/open-token-store.ts");
  return createAuth({ ...auth, tokenStore: openTokenStore(scorpioxDir, storePlace) }, warn);
}
