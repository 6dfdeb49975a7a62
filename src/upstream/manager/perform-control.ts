import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../base/errors.ts";
import { assertNotAborted } from "../../base/cancellation.ts";
import { cacheKeyOf } from "../cache/catalogue-cache.ts";
import { redactCatalogue } from "../catalogue/redact-catalogue.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import { ConnectionError, type ConnectionEvents } from "../connect/connection.ts";
import type { Prepared } from "../install/installer.ts";
import type { SearchedTool } from "../snapshot.ts";
import {
  type InstallOutcome,
  isComing,
  type ServerInfo,
  type AskedCatalogue,
} from "../server-state.ts";
import type { AskedAs, ControlReplyTo, UpstreamControl } from "../upstreams.ts";
import type { OpeningEvents } from "./connection-parts.ts";
import { LaunchTarget } from "./launch-target.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { loginAdvice } from "../status/server-info.ts";
import { tryServer } from "./try-server.ts";

export interface ControlParts extends ManagerParts {
  searched(): readonly SearchedTool[];
  /** @throws AppError `not_found` */
  server(name: string): ManagedServer;
}

/**
 * Performs a request about one server, its tools or its logins.
 * @throws AppError `not_found` for a server that is not configured; `cancelled`
 */
export async function performControl(
  control: Exclude<
    UpstreamControl,
    { kind: "switch-project" | "several-principals" | "show-apps" }
  >,
  signal: AbortSignal,
  parts: ControlParts,
): Promise<ControlReplyTo<typeof control>> {
  switch (control.kind) {
    case "connect":
      return connect(parts.server(control.server), control.waitMs);
    case "ask":
      return askServer(control.server, parts, signal, control);
    case "install":
      return installServer(control.server, parts, signal);
    case "try":
      return tryServer(control.server, parts, signal);
    case "login-page": {
      const opened = await parts.userLogins?.opened;
      return typeof opened === "object" ? opened.page(control.request) : undefined;
    }
    case "tools": {
      const { server } = control;
      return parts.searched().filter((tool) => server === undefined || tool.server === server);
    }
  }
}

/** Starts the server and waits for the result, for at most `waitMs`. */
async function connect(server: ManagedServer, waitMs: number): Promise<ServerInfo> {
  server.connect();
  const deadline = performance.now() + waitMs;
  while (isComing(server.info().state) && performance.now() < deadline) await sleep(lookMs);
  return server.info();
}

const lookMs = 20;

/**
 * Fetches a server's package as its first start would, without starting it. The server must be allowed to start.
 * @throws AppError `cancelled`
 */
async function installServer(
  configured: ConfiguredServer,
  parts: ManagerParts,
  signal: AbortSignal,
): Promise<InstallOutcome> {
  assertNotAborted(signal);
  const expanded = await parts.expand(configured);
  if (expanded.kind === "needs_config") return { kind: "failed", reason: expanded.text };
  const target = await LaunchTarget.of(configured, expanded.launch, expanded.secrets, parts);
  let isNew = false;
  try {
    const prepared = await target.prepare(signal, () => {
      isNew = true;
    });
    const { startedAs } = prepared ?? {};
    return { kind: "installed", isNew, ...(startedAs === undefined ? {} : { startedAs }) };
  } catch (error) {
    assertNotAborted(signal);
    return { kind: "failed", reason: target.clean(messageOf(error)) };
  }
}

/**
 * Connects to a server only to read its lists, then disconnects. Keeps and approves nothing; the server must be allowed
 * to start. Ignores results of earlier runs, so that the answer is the same on each machine.
 * @throws AppError `cancelled`
 */
async function askServer(
  configured: ConfiguredServer,
  parts: ManagerParts,
  signal: AbortSignal,
  { asLastHeard }: AskedAs = {},
): Promise<AskedCatalogue> {
  assertNotAborted(signal);
  const expanded = await parts.expand(configured);
  if (expanded.kind === "needs_config") return { kind: "unreachable", reason: expanded.text };
  const heard = asLastHeard === true ? await parts.cache.read(cacheKeyOf(configured)) : undefined;
  const apps = heard?.catalogue.apps;
  const asked = { ...parts, apps: () => apps };
  const target = await LaunchTarget.of(configured, expanded.launch, expanded.secrets, asked);
  try {
    const { name: server } = configured.entry;
    const prepared = await target.prepare(signal, (installing) => {
      parts.host.notify({ kind: "installing", server, installing });
    });
    using _turn = await parts.turns.take(signal);
    return await readOnce(target, signal, prepared);
  } catch (error) {
    assertNotAborted(signal);
    const wantsLogin = error instanceof ConnectionError && error.failure === "needs_auth";
    const advice = wantsLogin ? ` ${loginAdvice(configured)}` : "";
    return { kind: "unreachable", reason: `${target.cleanTalk(messageOf(error))}${advice}` };
  }
}

async function readOnce(
  target: LaunchTarget,
  signal: AbortSignal,
  prepared: Prepared | undefined,
): Promise<AskedCatalogue> {
  await using opened = await target.open(undefined, nobodyListens, signal, nobodyWaits, {
    prepared,
  });
  const late = AbortSignal.timeout(target.configured.entry.options.initTimeoutMs);
  const read = await opened.connection.readCatalogue(AbortSignal.any([signal, late]));
  const catalogue = redactCatalogue(read, target.clean);
  const scopes = await target.scopes();
  return { kind: "catalogue", catalogue, ...(scopes === undefined ? {} : { scopes }) };
}

const nobodyWaits: OpeningEvents = {
  onProcess: () => {},
  onBegun: () => {},
  onEnding: () => {},
};

const nobodyListens: ConnectionEvents = {
  onListChanged: () => {},
  onResourceUpdated: () => {},
  onLog: () => {},
  onStray: () => {},
  onClosed: () => {},
};
