import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";

/** Tools of other servers can be found as long as there is one that is not switched off (DF2a). */
export function hasServers({ servers }: UpstreamSnapshot): boolean {
  return servers.some(({ state }) => state !== "disabled");
}
