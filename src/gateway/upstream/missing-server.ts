import { originalName, uncutName } from "../../upstream/names/exposed-name.ts";
import type { ServerState } from "../../upstream/server-state.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";

/** What is known of their tools is all there is. */
const known: ReadonlySet<ServerState> = new Set(["ready", "cached"]);

/** Why nobody has that name, if it is of a server that there is and whose tools are not there; else nothing. */
export function missingServerText(name: string, { servers }: UpstreamSnapshot): string {
  const server = servers.find(
    (each) =>
      !known.has(each.state) &&
      [uncutName(each.name, ""), originalName(each.name, "")].some((start) =>
        name.startsWith(start),
      ),
  );
  if (server === undefined) return "";
  const reason = server.reason === null ? "" : ` ${server.reason}`;
  return ` The server ${server.name} is ${server.state}.${reason}`;
}
