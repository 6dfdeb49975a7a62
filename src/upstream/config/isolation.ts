import { namesPrincipal } from "./expansion-context.ts";
import type { Isolation, Principals, ServerEntry, UpstreamConfig } from "./server-entry.ts";

/** From sharing everything to sharing nothing. */
export const isolations: readonly Isolation[] = ["shared", "workspace", "user", "session", "call"];

/**
 * Which principals share a connection to this server. As soon as several principals are served, each has its own unless
 * the user's entry says otherwise: one principal must not read the data that another has stored in a server. A
 * project's file can only make this stricter.
 */
export function isolationOf(
  { launch, options, origin }: Pick<ServerEntry, "launch" | "options" | "origin">,
  principals: Principals,
): Isolation {
  const usual = principals === "several" || namesPrincipal(launch) ? "user" : "shared";
  const wanted = options.isolation ?? usual;
  const isLooser = isolations.indexOf(wanted) < isolations.indexOf(usual);
  const kept = origin.trust === "project" && isLooser ? usual : wanted;
  // One person has one connection.
  return kept === "user" && principals === undefined ? "shared" : kept;
}

/**
 * Notices, for people, about the user's entries that share a connection which each principal would otherwise have for
 * itself.
 */
export function sharedNotices(
  { servers }: Pick<UpstreamConfig, "servers">,
  principals: Principals,
): readonly string[] {
  if (principals !== "several") return [];
  return [...servers.values()].flatMap(({ entry }) => {
    const isolation = isolationOf(entry, "several");
    if (!entry.isEnabled || (isolation !== "shared" && isolation !== "workspace")) return [];
    return [
      `The MCP server ${entry.name} has isolation = "${isolation}": all principals share its connection, and one may read ` +
        `what another has stored there. Take the key out of its entry to give each principal its own.`,
    ];
  });
}
