import { launchIdentity } from "./entry-launch.ts";
import { isolations } from "./isolation.ts";
import { narrowerRoots } from "./roots-rule.ts";
import type { ConfiguredServer, ServerEntry, ServerOptions, ToolRule } from "./server-entry.ts";

/** From the loosest to the strictest policy; undefined: the default of the rules applies. */
const policies = ["allow", undefined, "ask", "deny"] as const;

/**
 * Merges the entries to one server for each name: the strongest entry as a whole (CF1). Until a project's entry is
 * approved, the user's of that name stands in (CF2); a project's entry that only switches the server off narrows, and
 * takes effect at once. A project may only narrow isolation, policy and roots (CF5), so that these are never looser
 * than the user's; `keptDenies` does the same for denies.
 * @param entries weakest first
 * @param warn reports a setting that a project's entry may not change
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
  const users = shadowed[usersAt];
  if (winner.origin.trust === "user" || users === undefined) {
    return { entry: winner, identity: launchIdentity(winner.launch), shadowed };
  }
  const standIn = configured(shadowed.slice(usersAt), warn);
  const entry = keepStrictness(winner, users.options, warn);
  return {
    entry,
    identity: launchIdentity(entry.launch),
    shadowed,
    ...(standIn !== undefined && entry.isEnabled && { standIn }),
  };
}

/**
 * A project's entry neither shares a connection that the user wanted isolated, nor allows a call for which the user
 * wanted a question.
 */
function keepStrictness(
  entry: ServerEntry,
  users: ServerOptions,
  warn: (entry: ServerEntry, text: string) => void,
): ServerEntry {
  const { options } = entry;
  const { isolation: _isolation, policy: _policy, roots: _roots, ...others } = options;
  const keep = <Value extends string | undefined>(
    key: string,
    wanted: Value,
    own: Value,
    order: readonly Value[],
  ): Value => {
    if (order.indexOf(own) >= order.indexOf(wanted)) return own;
    if (own !== undefined)
      warn(entry, `${key} "${own}" is ignored: your own entry of this name says "${wanted}".`);
    return wanted;
  };
  const isolation = keep("isolation", users.isolation, options.isolation, [
    undefined,
    ...isolations,
  ]);
  const policy = keep("policy", users.policy, options.policy, policies);
  const roots = keepRoots(entry, users, warn);
  const kept = {
    ...(isolation !== undefined && { isolation }),
    ...(policy !== undefined && { policy }),
    ...(roots !== undefined && { roots }),
  };
  return { ...entry, options: { ...others, ...kept } };
}

/** The project's rule if it shows less than the user's; if both name folders, the user's. */
function keepRoots(
  entry: ServerEntry,
  { roots: users }: ServerOptions,
  warn: (entry: ServerEntry, text: string) => void,
): ServerOptions["roots"] {
  const { roots: own } = entry.options;
  if (users === undefined || own === undefined) return users ?? own;
  const kept = narrowerRoots(users, own);
  if (kept !== own)
    warn(entry, "roots is ignored: your own entry of this name shows fewer folders.");
  return kept;
}

/**
 * The denies of the user's own entry where a project's has replaced it (TR8): entries are replaced as a whole (CF1),
 * but a user's deny still overrides any project.
 */
export function keptDenies(servers: ReadonlyMap<string, ConfiguredServer>): readonly ToolRule[] {
  return [...servers.values()].flatMap(({ entry, shadowed }) => {
    if (entry.origin.trust === "user") return [];
    const users = shadowed.find(({ origin }) => origin.trust === "user");
    const globs = users?.options.deny ?? [];
    return globs.map((glob): ToolRule => {
      return { effect: "deny", server: entry.name, glob, trust: "user" };
    });
  });
}
