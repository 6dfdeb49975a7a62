import type { ServerView } from "../catalogue/server-view.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerInfo } from "../server-state.ts";
import type { LaunchTarget } from "./launch-target.ts";
import type { ServerOffer } from "./server-offer.ts";
import type { Standing } from "./standing.ts";

interface ViewParts {
  readonly info: ServerInfo;
  readonly configured: ConfiguredServer;
  /** Undefined while nobody has looked. */
  readonly standing: Standing | undefined;
  readonly offer: ServerOffer;
  /** Undefined while it may not be used. */
  readonly target: LaunchTarget | undefined;
}

/** One server as it goes into a snapshot. */
export function viewOf({ info, configured, standing, offer, target }: ViewParts): ServerView {
  const kind = standing?.kind;
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
    roots: target?.roots ?? "none",
    hasCredentials: target?.hasCredentials ?? false,
  };
}
