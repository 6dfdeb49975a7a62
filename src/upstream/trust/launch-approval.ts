import { createHash } from "node:crypto";

import { canonicalJson } from "../../protocol/json-rpc.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { LaunchVerdict } from "./trust-file.ts";
import type { TrustStore } from "./trust-store.ts";

/** What of a project's entry the user decides about. */
export type ApprovedEntry = Pick<ConfiguredServer, "entry" | "identity" | "standIn">;

/** What the user has decided about this entry of the project (CN7); undefined: nobody was asked yet. */
export async function launchVerdictOf(
  server: ApprovedEntry,
  projectDir: string,
  store: TrustStore,
): Promise<LaunchVerdict | undefined> {
  const { identity } = server;
  const ofLaunch = await store.launchVerdict(identity, projectDir);
  const key = approvalKeyOf(server);
  if (key === identity || ofLaunch === "denied") return ofLaunch;
  return store.launchVerdict(key, projectDir);
}

/** @throws AppError `system` */
export async function approveLaunchOf(
  server: ApprovedEntry,
  projectDir: string,
  store: TrustStore,
): Promise<void> {
  // Who lets it do more lets it do less.
  for (const key of keysOf(server)) await store.approveLaunch(key, projectDir);
}

/** As if nobody had been asked. False when that is so already. @throws AppError `system` */
export async function revokeLaunchOf(
  server: ApprovedEntry,
  projectDir: string,
  store: TrustStore,
): Promise<boolean> {
  let isChanged = false;
  for (const key of keysOf(server)) {
    if (await store.revokeLaunch(key, projectDir)) isChanged = true;
  }
  return isChanged;
}

function keysOf(server: ApprovedEntry): ReadonlySet<string> {
  return new Set([server.identity, approvalKeyOf(server)]);
}

/**
 * What the approval hangs on: the launch and, where there is more to it, that too. A launch that was approved under a
 * name of its own must not get the name of a server of the user's, with all the rules for that, by being renamed; nor a
 * secret for its login by an edit afterwards.
 */
function approvalKeyOf({ entry, identity, standIn }: ApprovedEntry): string {
  const secret = entry.options.oauth?.clientSecret;
  const more = {
    ...(standIn === undefined ? {} : { replaces: entry.name }),
    ...(secret === undefined ? {} : { clientSecret: secret }),
  };
  if (Object.keys(more).length === 0) return identity;
  return createHash("sha256")
    .update(canonicalJson({ identity, ...more }))
    .digest("hex");
}
