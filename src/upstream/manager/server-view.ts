import type { ServerView } from "../catalogue/compose-tools.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerInfo } from "../server-state.ts";
import type { ServerPermission } from "../status/server-permission.ts";
import type { LaunchTarget } from "./launch-target.ts";
import type { ServerOffer } from "./server-offer.ts";

interface ViewParts {
  readonly info: ServerInfo;
  readonly configured: ConfiguredServer;
  /** Undefined before the first check. */
  readonly permission: ServerPermission | undefined;
  readonly offer: ServerOffer;
  /** Undefined while it must not be used. */
  readonly target: LaunchTarget | undefined;
}

/** One server for a snapshot. */
export function viewOf({ info, configured, permission, offer, target }: ViewParts): ServerView {
  const kind = permission?.kind;
  const current = kind === "usable" ? offer.current : undefined;
  const isUnknown = kind === undefined || (kind === "usable" && current === undefined);
  const isAsked = isUnknown && info.state === "starting";
  return {
    info,
    options: configured.entry.options,
    ...(current === undefined ? {} : { offer: current }),
    isUnknown,
    isLookedAt: kind !== undefined,
    isAwaited: isAsked && offer.contact?.isHopeless !== true,
    holdsLists: isAsked && offer.contact?.holdsLists !== false,
    ...targetView(target),
  };
}

function targetView(
  target: LaunchTarget | undefined,
): Pick<ServerView, "roots" | "hasCredentials" | "hidesResources"> {
  if (target === undefined) return { roots: "none", hasCredentials: false };
  const { roots, hasCredentials, hidesResources } = target;
  return { roots, hasCredentials, ...(hidesResources && { hidesResources }) };
}
