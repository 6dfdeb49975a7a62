import type { GivenRoots, ServerOptions } from "../config/server-entry.ts";
import type { ServerInfo } from "../server-state.ts";
import type { JudgedCatalogue } from "../trust/judge-catalogue.ts";
import type { ServerCatalogue } from "../connect/server-catalogue.ts";

/** One server as it goes into a snapshot. */
export interface ServerView {
  readonly info: ServerInfo;
  readonly options: ServerOptions;
  /** What it offers and what of that may be used; undefined while nothing is known of it, or when it may not be used. */
  readonly offer?: { readonly catalogue: ServerCatalogue; readonly judged: JudgedCatalogue };
  /** It is known whether it may be used. */
  readonly isLookedAt: boolean;
  /** It may be used, nothing is known of it, and it is being asked. */
  readonly isAwaited: boolean;
  /** The same, and lists still wait for it. */
  readonly holdsLists: boolean;
  /** It may be used, and nothing is known of it, whatever the reason. */
  readonly isUnknown: boolean;
  /** What it is told of folders. */
  readonly roots: GivenRoots;
  /** What it offers may depend on who asks. */
  readonly hasCredentials: boolean;
}
