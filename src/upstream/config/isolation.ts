import { namesPrincipal } from "./expansion-context.ts";
import type { Isolation, Principals, ServerEntry, UpstreamConfig } from "./server-entry.ts";

/** From sharing everything to sharing nothing. */
export const isolations: readonly Isolation[] = ["shared", "workspace", "user", "session", "call"];

/**
 * Who shares a connection to this server. As soon as several principals are served, each has its own unless the user's
 * entry says otherwise: what one of them stores in a server must not be read by another. A project's file makes that
 * stricter only.
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

/** For people: entries of the user that share what each principal would have for itself. */
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
