import { createHash } from "node:crypto";

import { canonicalJson } from "../../protocol/json-rpc.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { LaunchVerdict } from "./trust-file.ts";
import type { TrustStore } from "./trust-store.ts";

/** The parts of a project's entry that the user approves. */
export type ApprovedEntry = Pick<ConfiguredServer, "entry" | "identity" | "standIn">;

/** The user's decision about this entry of the project (CN7); undefined before it. */
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
  // An approval with more rights includes the launch alone.
  for (const key of keysOf(server)) await store.approveLaunch(key, projectDir);
}

/** Forgets the user's decision. False when there was none. @throws AppError `system` */
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
 * The key of an approval: the launch and any rights beyond it. An approved launch must not be renamed to one of the
 * user's servers, which would give it all rules for that name, and a later edit must not give it a secret for its
 * login.
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
