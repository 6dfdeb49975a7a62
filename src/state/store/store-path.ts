import { join } from "node:path";

import { storeFileName } from "../../base/store-files.ts";

/** The database of all servers of this user. */
export function storePathIn(scorpioxDir: string): string {
  return join(scorpioxDir, storeFileName);
}
