import { launchIdentity } from "../upstream/config/launch-identity.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import type { ServerEntry } from "../upstream/config/server-entry.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import { approveLaunchOf } from "../upstream/trust/launch-approval.ts";
import { TrustStore } from "../upstream/trust/trust-store.ts";
import type { CommandIo } from "./command-io.ts";
import type { StartUp } from "./start-up.ts";

/** What the user typed needs no second look; what is not of a project needs none at all. */
export async function approveTypedServer(
  entry: ServerEntry,
  start: StartUp,
  io: CommandIo,
): Promise<void> {
  const { projectDir, scorpioxDir } = start.dirs;
  if (entry.origin.trust !== "project" || projectDir === undefined) return;
  const identity = launchIdentity(entry.launch);
  // Where it takes the place of an entry of the user's, that is what the user wants.
  const written = loadUpstreamConfig(configPartsOf(start, io.env)).servers.get(entry.name);
  const { standIn } = written?.identity === identity ? written : {};
  const server = { entry, identity, ...(standIn && { standIn }) };
  await approveLaunchOf(server, projectDir, new TrustStore(scorpioxDir));
}
