import type { ServerOptions } from "../config/server-entry.ts";

export interface ListedParts {
  /** Of `decideDeferral`. */
  readonly isDeferred: boolean;
  /** Of the server's entry. */
  readonly options: Pick<ServerOptions, "defer" | "promote">;
  /** One of the entry's `always_load` globs matches the tool. */
  readonly isPinned: boolean;
}

/**
 * Whether a tool of another server is in `tools/list` (DF4). What a server's own entry says is more particular than what
 * was decided for all, and wins; hidden tools can be called all the same (DF6).
 */
export function isListed({ isDeferred, options, isPinned }: ListedParts): boolean {
  if (isPinned || options.promote) return true;
  return options.defer === "auto" ? !isDeferred : !options.defer;
}
