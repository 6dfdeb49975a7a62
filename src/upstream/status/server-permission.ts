import { product } from "../../base/product.ts";
import type { ExpandedLaunch } from "../config/expand-launch.ts";
import type { ConfiguredServer, ServerLaunch } from "../config/server-entry.ts";
import { launchVerdictOf, placeText } from "../trust/launch-approval.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";

/** A server's permission by configuration and approvals, before it is started. */
export type ServerPermission =
  | { readonly kind: "disabled" }
  | { readonly kind: "untrusted" | "needs_config"; readonly text: string }
  | {
      readonly kind: "usable";
      /** The effective entry: the user's own, until that of the project is approved (CF2). */
      readonly active: ConfiguredServer;
      readonly launch: ServerLaunch;
      readonly secrets: readonly string[];
      /** A notice for the user about a usable server. */
      readonly note?: string;
    };

export interface PermissionParts {
  readonly options: Pick<UpstreamOptions, "dirs" | "trustsProject">;
  readonly trust: TrustStore;
  readonly expand: (server: ConfiguredServer) => Promise<ExpandedLaunch>;
}

/** Judges a server; expands, starts and connects nothing of a project before it is approved (CN7). Never rejects. */
export async function permissionOf(
  configured: ConfiguredServer,
  parts: PermissionParts,
): Promise<ServerPermission> {
  if (!configured.entry.isEnabled) return { kind: "disabled" };
  const refusal = await refusalOf(configured, parts);
  if (refusal === undefined) return expanded(configured, parts);
  const { standIn } = configured;
  if (standIn === undefined || !standIn.entry.isEnabled)
    return { kind: "untrusted", text: refusal };
  const permission = await expanded(standIn, parts);
  return permission.kind === "usable"
    ? { ...permission, note: `An entry of the project would replace yours. ${refusal}` }
    : permission;
}

/** The reason for which it must not be used; undefined when it may. */
async function refusalOf(
  configured: ConfiguredServer,
  { options, trust }: PermissionParts,
): Promise<string | undefined> {
  const { entry } = configured;
  if (entry.origin.trust === "user") return undefined;
  const { projectDir } = options.dirs;
  const verdict =
    projectDir === undefined ? undefined : await launchVerdictOf(configured, projectDir, trust);
  // A server that the user refused stays refused, even in a trusted project.
  if (verdict === "approved" || (options.trustsProject && verdict !== "denied")) return undefined;
  const command = `${product.name} mcp approve ${entry.name}`;
  const file = placeText(entry.origin.file);
  return verdict === "denied"
    ? `You have refused the server ${entry.name} of ${file}. Allow it: ${command}.`
    : `The server ${entry.name} of ${file} waits for your approval. See and approve it: ${command}.`;
}

async function expanded(
  configured: ConfiguredServer,
  parts: PermissionParts,
): Promise<ServerPermission> {
  const outcome = await parts.expand(configured);
  if (outcome.kind === "needs_config") return { kind: "needs_config", text: outcome.text };
  const { launch, secrets } = outcome;
  return { kind: "usable", active: configured, launch, secrets };
}
