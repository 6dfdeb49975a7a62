import type { ConfiguredServer, ServerEntry } from "../server-entry.ts";
import { launchIdentity } from "./launch-identity.ts";

/** From sharing everything to sharing nothing. */
const isolations = ["shared", "workspace", "session", "call"] as const;

/**
 * One server for each name: the strongest entry as a whole (CF1). A project's entry lets the user's of that name stand
 * in until it is approved (CF2); one that only switches the server off narrows, and counts at once.
 * @param entries weakest first
 * @param warn told of what a project's entry may not change
 */
export function mergeEntries(
  entries: readonly ServerEntry[],
  warn: (entry: ServerEntry, text: string) => void,
): ReadonlyMap<string, ConfiguredServer> {
  const byName = new Map<string, ServerEntry[]>();
  for (const entry of entries) {
    const same = byName.get(entry.name) ?? [];
    same.unshift(entry);
    byName.set(entry.name, same);
  }
  const servers = new Map<string, ConfiguredServer>();
  for (const [name, same] of byName) {
    const server = configured(same, warn);
    if (server !== undefined) servers.set(name, server);
  }
  return servers;
}

function configured(
  [winner, ...shadowed]: readonly ServerEntry[],
  warn: (entry: ServerEntry, text: string) => void,
): ConfiguredServer | undefined {
  if (winner === undefined) return undefined;
  const usersAt = shadowed.findIndex((entry) => entry.origin.trust === "user");
  if (winner.origin.trust === "user" || usersAt === -1) {
    return { entry: winner, identity: launchIdentity(winner.launch), shadowed };
  }
  const standIn = configured(shadowed.slice(usersAt), warn);
  const entry = keepIsolation(winner, shadowed[usersAt], warn);
  return {
    entry,
    identity: launchIdentity(entry.launch),
    shadowed,
    ...(standIn !== undefined && entry.isEnabled && { standIn }),
  };
}

/** A project's entry shares no connection that the user wanted apart (CF5). */
function keepIsolation(
  entry: ServerEntry,
  users: ServerEntry | undefined,
  warn: (entry: ServerEntry, text: string) => void,
): ServerEntry {
  const wanted = users?.options.isolation ?? "shared";
  const { isolation } = entry.options;
  if (isolations.indexOf(isolation) >= isolations.indexOf(wanted)) return entry;
  warn(entry, `isolation "${isolation}" is ignored: your own entry of this name says "${wanted}".`);
  return { ...entry, options: { ...entry.options, isolation: wanted } };
}
