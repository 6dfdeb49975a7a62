import { copyFileSync, statSync, truncateSync } from "node:fs";

import type { HubPlace } from "./hub-place.ts";

/** The log of a hub; its older part may be as long. */
const logBytesMax = 1024 * 1024;

/**
 * Bounds the log of a hub: its content moves to a second file. The first stays, since a hub writes to it by a descriptor that it was started with. @throws a system error
 */
export function trimLog({ logFile }: Pick<HubPlace, "logFile">): void {
  const stats = statSync(logFile, { throwIfNoEntry: false });
  if (stats === undefined || stats.size <= logBytesMax) return;
  copyFileSync(logFile, `${logFile}.old`);
  truncateSync(logFile);
}
