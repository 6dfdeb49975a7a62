import { createHash } from "node:crypto";

import type { ServerLaunch, StringMap, UpstreamConfig } from "./server-entry.ts";

/**
 * What approvals, caches and shared connections hang on: SHA-256 in hex of the canonical JSON of the launch before
 * expansion, so that a secret which is replaced by another changes nothing.
 */
export function launchIdentity(launch: ServerLaunch): string {
  return createHash("sha256").update(canonicalLaunch(launch)).digest("hex");
}

/** Keys in order, no blanks. */
function canonicalLaunch(launch: ServerLaunch): string {
  if (launch.transport === "http") {
    const { headers, transport, url } = launch;
    return JSON.stringify({ headers: sorted(headers), transport, url });
  }
  const { args, command, cwd, env, transport } = launch;
  return JSON.stringify({ args, command, cwd, env: sorted(env), transport });
}

function sorted(map: StringMap): StringMap {
  const result: Record<string, string> = Object.create(null);
  for (const key of Object.keys(map).sort()) result[key] = map[key] ?? "";
  return result;
}

/** Equal for configurations with the same servers. */
export function configFace(config: UpstreamConfig | undefined): string {
  return JSON.stringify([...(config?.servers ?? [])].map(([name, { entry }]) => [name, entry]));
}
