import type { ConnectOptions } from "../connect/connection.ts";
import type { Era } from "../connect/server-catalogue.ts";

/**
 * In which way a server is asked what it speaks.
 * @param diesAtOnce it did at the last start, however it was asked: one process is enough to see whether it still does, since
 * starts are counted
 */
export function triedEra(
  knownEra: Era | undefined,
  diesAtOnce: boolean,
): Pick<ConnectOptions, "knownEra"> | { readonly era: "modern" } {
  if (diesAtOnce) return knownEra === "modern" ? { era: "modern" } : { knownEra: "legacy" };
  return knownEra === undefined ? {} : { knownEra };
}
