import { messageOf } from "../../base/errors.ts";
import { assertWanted } from "../../base/turns.ts";
import { ConnectionError, type ConnectionEvents } from "../connect/connection.ts";
import { cacheKeyOf } from "../cache/cache-key.ts";
import { redactCatalogue } from "../catalogue/redact-catalogue.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { AskedCatalogue } from "../trust/asked-catalogue.ts";
import type { AskedAs } from "../upstreams.ts";
import type { Prepared } from "../install/installer.ts";
import { LaunchTarget } from "./launch-target.ts";
import { loginAdvice } from "./login-advice.ts";
import type { OpeningEvents } from "./connection-parts.ts";
import type { ManagerParts } from "./manager-parts.ts";

/**
 * Connects to a server for its lists alone, and ends that connection. Nothing is kept or approved; the server may be
 * started. What an earlier run found of it does not count, so that the answer is the same on each machine.
 * @throws AppError `cancelled`
 */
export async function askServer(
  configured: ConfiguredServer,
  parts: ManagerParts,
  signal: AbortSignal,
  { asLastHeard }: AskedAs = {},
): Promise<AskedCatalogue> {
  assertWanted(signal);
  const expanded = await parts.expand(configured);
  if (expanded.kind === "needs_config") return { kind: "unreachable", reason: expanded.text };
  const heard = asLastHeard === true ? await parts.cache.read(cacheKeyOf(configured)) : undefined;
  const apps = heard?.catalogue.apps;
  const asked = { ...parts, apps: () => apps };
  const target = await LaunchTarget.of(configured, expanded.launch, expanded.secrets, asked);
  try {
    const prepared = await target.prepare(signal, () => {});
    using _turn = await parts.turns.take(signal);
    return await readOnce(target, signal, prepared);
  } catch (error) {
    assertWanted(signal);
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
  const opened = await target.open(undefined, nobodyListens, signal, nobodyWaits, { prepared });
  try {
    const late = AbortSignal.timeout(target.configured.entry.options.initTimeoutMs);
    const read = await opened.connection.readCatalogue(AbortSignal.any([signal, late]));
    const catalogue = redactCatalogue(read, target.clean);
    const scopes = await target.scopes();
    return { kind: "catalogue", catalogue, ...(scopes === undefined ? {} : { scopes }) };
  } finally {
    await opened.end();
  }
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
