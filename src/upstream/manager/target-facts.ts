import { createHash } from "node:crypto";

import type { AppSupport } from "../../protocol/client-capabilities.ts";
import { canonicalJson } from "../../protocol/canonical-json.ts";
import type { OpenLogin } from "../oauth/open-login.ts";
import type { ConfiguredServer, GivenRoots, Isolation, ServerLaunch } from "../server-entry.ts";

/** What is known of a server before it is connected to. */
export interface TargetFacts {
  readonly configured: ConfiguredServer;
  /** Filled in, with the `secrets` that are in it. */
  readonly launch: ServerLaunch;
  readonly secrets: readonly string[];
  readonly login: OpenLogin | undefined;
  /** What it is told of folders. */
  readonly roots: GivenRoots;
  /** Whether the clients of its connections show apps of servers. */
  readonly apps: AppSupport | undefined;
}

/**
 * Equal for those who may share a connection: the same launch, the same credentials, and the same rights, which a
 * connection is told at its begin (IS5).
 */
export function targetKey(
  { configured, launch, secrets, login, roots, apps }: TargetFacts,
  isolation: Isolation,
): string {
  const { era, inheritEnv, launcher, sampling, elicitation, oauth, restart, idleStopS } =
    configured.entry.options;
  const rights = [sampling !== "deny", elicitation !== "deny"];
  const all = {
    launch,
    // Those that are not in the launch: of its login.
    secrets,
    era,
    inheritEnv,
    launcher,
    rights,
    roots,
    oauth: oauth ?? null,
    login: login?.id ?? null,
    restart,
    idleStopS,
    isolation,
    ...(apps === undefined ? {} : { apps }),
  };
  return createHash("sha256").update(configured.identity).update(canonicalJson(all)).digest("hex");
}
