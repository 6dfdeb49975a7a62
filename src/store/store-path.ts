import { join } from "node:path";

/** The database of all servers of this user. */
export function storePathIn(scorpioxDir: string): string {
  return join(scorpioxDir, "scorpiox.db");
}
