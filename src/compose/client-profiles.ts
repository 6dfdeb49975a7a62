import type { OwnPlace } from "../calls/call.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { Auth } from "../server/auth/create-auth.ts";
import type { Principal } from "../server/auth/principal.ts";
import type { ClientProfile } from "../server/connection/session.ts";
import { limitsFor, workspaceFallback } from "./program-parts.ts";
import type { ScopeGate } from "./scope-gate.ts";
import type { Separation } from "./separation.ts";

/** The tools and the folders that a principal may use. */
function boundsOf(
  principal: () => Principal,
  scopes: ScopeGate,
  separation: Separation,
): Pick<ClientProfile, "ownPlace" | "mayUse"> {
  const ownPlace = (): OwnPlace | undefined => separation.placeOf(principal().id);
  if (!scopes.isOn && !separation.hasWithheld) return { ownPlace };
  const mayUse = (toolName: string): boolean =>
    separation.isOffered(toolName) && scopes.allows(principal(), toolName);
  return { ownPlace, mayUse };
}

interface ProfileParts {
  readonly auth: Pick<Auth, "authorizer">;
  readonly start: StartUp;
  readonly scopes: ScopeGate;
  readonly hasPrincipals: boolean;
  readonly options: {
    readonly warn: (message: string) => void;
    readonly cwd: string;
    readonly separation: Separation;
  };
}

/** Makes the profile of each client: of a session, or of all modern requests of a principal. */
export function profilesOf({
  auth: { authorizer },
  start,
  scopes,
  hasPrincipals,
  options: { warn, cwd, separation },
}: ProfileParts): (id: string, principal: () => Principal) => ClientProfile {
  const fallbackDir = start.cwdFlag ?? workspaceFallback(cwd, start.dirs.homeDir);
  const { workspaceName } = start;
  return (id: string, principal: () => Principal): ClientProfile => ({
    id,
    limitsFor: (clientName) => limitsFor(start, clientName, warn),
    fallbackDir,
    owner: principal().id,
    identity: () => authorizer.tokenOf(principal()),
    workspaceName,
    ...(hasPrincipals && { person: principal, servers: () => principal().servers }),
    // Without tokens only this machine is listened to; with them anybody may sit behind one.
    isRemote: hasPrincipals,
    ...boundsOf(principal, scopes, separation),
  });
}
