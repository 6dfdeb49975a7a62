import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import type { TempFolder } from "../../test/e2e/harness/temp-folder.ts";

/** The user's settings of npm, and a cache that nobody has used. */
export function npmEnvironment(home: TempFolder): Readonly<Record<string, string>> {
  const userConfig = join(homedir(), ".npmrc");
  return {
    npm_config_cache: home.folder("npm-cache"),
    ...(existsSync(userConfig) ? { npm_config_userconfig: userConfig } : {}),
  };
}
