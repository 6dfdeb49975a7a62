import { formatAmount } from "../base/cut-text.ts";
import type { HubStatus } from "../hub/watch/hub-status.ts";
import { knownServerOf } from "../upstream/config/known-servers.ts";
import type { ServerEntry, UpstreamConfig } from "../upstream/config/server-entry.ts";

/** A server of which one process could serve the clients of all projects (HB3). */
export interface ShareableServer {
  readonly name: string;
  /** The end of a sentence about the server. */
  readonly reason: string;
  /** The file of its entry. */
  readonly file: string;
}

/** Entries of the user's that could say `isolation = "shared"`, by a table of known servers. */
export function shareableServers({
  servers,
}: Pick<UpstreamConfig, "servers">): readonly ShareableServer[] {
  return [...servers.values()].flatMap(({ entry }) => shareableServer(entry) ?? []);
}

/** The entry, if `shareableServers` would give it. */
export function shareableServer(entry: ServerEntry): ShareableServer | undefined {
  const reason = mayBeShared(entry) ? knownServerOf(entry.launch)?.shareable : undefined;
  return reason === undefined ? undefined : shareable(entry, reason);
}

/** The servers that a hub runs once for each of several workspaces, although nothing in the entry depends on one. */
export function repeatedServers(
  { servers }: Pick<UpstreamConfig, "servers">,
  hub: Pick<HubStatus, "servers">,
): readonly ShareableServer[] {
  return [...servers.values()].flatMap(({ entry }) => {
    if (!mayBeShared(entry) || knownServerOf(entry.launch)?.keeps !== undefined) return [];
    const places = hub.servers.flatMap(({ name, pid, workspace }) =>
      name === entry.name && pid !== undefined ? (workspace ?? []) : [],
    );
    const count = new Set(places).size;
    if (count < 2) return [];
    return [shareable(entry, `it runs once for each of ${formatAmount(count, "workspace")}`)];
  });
}

/** The advice for such a server: a sentence without a full stop, and the next step. */
export function sharingAdvice({ name, reason, file }: ShareableServer): {
  readonly text: string;
  readonly remedy: string;
} {
  return {
    text: `${name} could be one process for all projects: ${reason}`,
    remedy: `write isolation = "shared" into its entry in ${file}, if it does not depend on the project`,
  };
}

function shareable({ name, origin }: ServerEntry, reason: string): ShareableServer {
  return { name, reason, file: origin.file ?? "the environment" };
}

/** Nothing in the entry names a project, and it does not say already who shares it. */
function mayBeShared({ isEnabled, launch, options, origin }: ServerEntry): boolean {
  if (!isEnabled || origin.trust !== "user" || launch.transport !== "stdio") return false;
  if (options.isolation !== undefined || launch.cwd !== undefined) return false;
  if (options.roots !== undefined && options.roots !== "none") return false;
  const { command, args, env } = launch;
  return ![command, ...args, ...Object.values(env)].some(dependsOnProject);
}

function dependsOnProject(text: string): boolean {
  return /workspaceFolder|CLAUDE_PROJECT_DIR/.test(text) || /^\.{1,2}(?:[/\\]|$)/.test(text);
}
