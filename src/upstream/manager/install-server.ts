import { messageOf } from "../../base/errors.ts";
import { assertWanted } from "../../base/turns.ts";
import type { InstallOutcome } from "../install-outcome.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import { LaunchTarget } from "./launch-target.ts";
import type { ManagerParts } from "./manager-parts.ts";

/**
 * Fetches what a server is started from, as its first start would, and starts nothing of it. The server may be started.
 * @throws AppError `cancelled`
 */
export async function installServer(
  configured: ConfiguredServer,
  parts: ManagerParts,
  signal: AbortSignal,
): Promise<InstallOutcome> {
  assertWanted(signal);
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
    assertWanted(signal);
    return { kind: "failed", reason: target.clean(messageOf(error)) };
  }
}
