import type { AuthSettings } from "../server/auth/create-auth.ts";
import type { AuthorizationRefusal } from "../server/auth/refusal.ts";
import type { HttpSettings } from "../cli/http-flags.ts";
import { openSocketOwner } from "../commands/process/socket-owner.ts";
import { LocalUsers } from "./local-users.ts";
import { makeOwnToken, ownTokenText } from "./own-token.ts";

/** Who may come in, as decided at the start. */
export interface Entrance {
  readonly auth: AuthSettings;
  /** The answer to a request of somebody who may not come in without tokens. */
  readonly refuse: (
    request: Request,
    server: Bun.Server<undefined> | undefined,
  ) => AuthorizationRefusal | undefined;
  /** What the user is told once the URL is known. */
  readonly notice: (url: string) => string | undefined;
}

const refuseNobody = (): undefined => undefined;
const anyoneText =
  "--allow-any-local-user: every account of this machine can run commands as you through this server.";

/**
 * Whoever sends requests runs commands as this user. So with tokens who has one may; without them this user and root;
 * and where the system does not tell which user connects, who has the token that is made here.
 */
export function openEntrance(settings: HttpSettings, scorpioxDir: string): Entrance {
  const entrance: Entrance = { auth: settings, refuse: refuseNobody, notice: refuseNobody };
  if (settings.tokenFile !== undefined || settings.keySetUrl !== undefined) return entrance;
  if (settings.allowsAnyLocalUser) return { ...entrance, notice: () => anyoneText };
  const [ownerOf, uid] = [openSocketOwner(), process.getuid?.()];
  if (ownerOf === undefined || uid === undefined) {
    const own = makeOwnToken(scorpioxDir);
    const auth = { ...settings, tokenFile: own.tokenFile, tellsTokenFile: true };
    return { ...entrance, auth, notice: (url) => ownTokenText(own, url) };
  }
  const users = new LocalUsers(ownerOf, uid);
  return {
    ...entrance,
    refuse: (request, server) =>
      server === undefined ? undefined : users.refusalOf(request, server),
  };
}
