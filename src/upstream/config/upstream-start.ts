import type { Environment } from "../../config/load-config.ts";
import type { ConfigDirs } from "../../config/places.ts";
import type { McpSettings } from "../../config/settings.ts";
import type { LastGoodFiles } from "./read-server-file.ts";

/** What the command line and the environment say of other servers. */
export interface UpstreamStart {
  /** Of `--config`, absolute, weakest first; files of servers and files of keys. */
  readonly configFiles: readonly string[];
  /** `--strict-config`. */
  readonly isStrict: boolean;
  readonly defer: "auto" | "on" | "off";
  readonly onChange: "block" | "warn" | "allow";
  /** `--trust-project`, or SCORPIOX_TRUST_PROJECT in the environment. */
  readonly trustsProject: boolean;
  /** Another process of this program has started this one as a server of its own: it has none itself (CF20). */
  readonly isNested: boolean;
}

/** What a start knows, as far as other servers are concerned. */
export interface ServersStart {
  readonly dirs: ConfigDirs;
  readonly workspaceName: string | undefined;
  readonly config: { readonly settings: { readonly mcp: McpSettings } };
  readonly upstream: UpstreamStart;
}

/** What `loadUpstreamConfig` needs of a start. */
export function configPartsOf(start: ServersStart, env: Environment): UpstreamConfigParts {
  const { configFiles, isStrict } = start.upstream;
  return { dirs: start.dirs, env, configFiles, isStrict, workspace: start.workspaceName };
}

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
