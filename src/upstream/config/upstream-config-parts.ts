import type { Environment } from "../../config/environment.ts";
import type { ConfigDirs } from "../../config/places.ts";
import type { LastGoodFiles } from "./last-good-files.ts";

/** All that the configuration of other servers is read from. `UpstreamOptions` has these too. */
export interface UpstreamConfigParts {
  readonly dirs: ConfigDirs;
  readonly env: Environment;
  /** Of `--config`, absolute, weakest first; files of servers and files of keys. */
  readonly configFiles: readonly string[];
  /** `--strict-config`: only servers that `--config` names count (CF3). */
  readonly isStrict: boolean;
  readonly workspace?: string | undefined;
  /** How this program was started: an entry that starts it again is skipped (CF20). */
  readonly ownCommand?: readonly string[] | undefined;
  /** Where this program listens itself. */
  readonly ownUrl?: string | undefined;
  /** What files said when they could last be used; for a process that reads them again and again (CN15). */
  readonly lastGood?: LastGoodFiles;
}
