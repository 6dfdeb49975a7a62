import { existsSync } from "node:fs";
import { join } from "node:path";

/** The file of made tokens in `~/.scorpiox`. */
export function tokenStoreFile(scorpioxDir: string): string {
  return join(scorpioxDir, "http-tokens.json");
}

/** Whether tokens were ever made there: from then on a server needs one, also when all of them have ended. */
export function hasTokenStore(scorpioxDir: string): boolean {
  return existsSync(tokenStoreFile(scorpioxDir));
}
