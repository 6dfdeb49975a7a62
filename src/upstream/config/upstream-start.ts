import type { Environment } from "../../config/load-config.ts";
import type { ConfigDirs } from "../../config/places.ts";
import type { McpSettings } from "../../config/settings.ts";
import type { LastGoodFiles } from "./read-server-file.ts";

/** The settings for upstream servers from the command line and the environment. */
export interface UpstreamStart {
  /** The files of `--config`, absolute, weakest first: files of servers and files of keys. */
  readonly configFiles: readonly string[];
  /** `--strict-config`. */
  readonly isStrict: boolean;
  readonly defer: "auto" | "on" | "off";
  readonly onChange: "block" | "warn" | "allow";
  /** `--trust-project`, or SCORPIOX_TRUST_PROJECT in the environment. */
  readonly trustsProject: boolean;
  /**
   * Another scorpiox-code process has started this one as one of its own servers: this one has no upstream servers
   * (CF20).
   */
  readonly isNested: boolean;
}

/** The part of a start that concerns upstream servers. */
export interface ServersStart {
  readonly dirs: ConfigDirs;
  readonly workspaceName: string | undefined;
  readonly config: { readonly settings: { readonly mcp: McpSettings } };
  readonly upstream: UpstreamStart;
}

/** Takes the parts for `loadUpstreamConfig` from a start. */
export function configPartsOf(start: ServersStart, env: Environment): UpstreamConfigParts {
  const { configFiles, isStrict } = start.upstream;
  return { dirs: start.dirs, env, configFiles, isStrict, workspace: start.workspaceName };
}

/** The inputs from which the configuration of upstream servers is read. `UpstreamOptions` has these too. */
export interface UpstreamConfigParts {
  readonly dirs: ConfigDirs;
  readonly env: Environment;
  /** The files of `--config`, absolute, weakest first: files of servers and files of keys. */
  readonly configFiles: readonly string[];
  /** `--strict-config`: only servers that `--config` names are used (CF3). */
  readonly isStrict: boolean;
  readonly workspace?: string | undefined;
  /** The command that started scorpiox-code: an entry that runs it again is skipped (CF20). */
  readonly ownCommand?: readonly string[] | undefined;
  /** The address on which scorpiox-code itself listens. */
  readonly ownUrl?: string | undefined;
  /** The last good versions of files, for a process that reads them repeatedly (CN15). */
  readonly lastGood?: LastGoodFiles;
}
