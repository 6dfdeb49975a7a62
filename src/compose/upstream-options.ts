import { ownCommand, product } from "../base/product.ts";
import type { Environment } from "../base/values.ts";
import type { StartUp } from "../cli/start-up.ts";
import { resultFolders } from "../commands/background/saved-outputs.ts";
import { ownIdentity } from "../commands/process/processes.ts";
import { keptListsFileOf } from "../upstream/cache/kept-lists.ts";
import { toldPlaceOf } from "../upstream/cache/told-servers.ts";
import type { UpstreamOptions } from "../upstream/worker/upstream-options.ts";
import type { ApplicationOptions } from "./program-parts.ts";

/** The options of this start for the Worker of upstream servers. */
export function createUpstreamOptions(
  start: StartUp,
  env: Environment,
  {
    ownUrl,
    isPassive,
    isBrief,
    principals,
    transport,
    userLogins,
  }: Pick<
    ApplicationOptions,
    "ownUrl" | "isPassive" | "isBrief" | "principals" | "transport" | "userLogins"
  >,
): UpstreamOptions {
  const { dirs, config, upstream, workspaceName } = start;
  const served = principals?.();
  const own = ownUrl?.();
  const { configFiles, isStrict, defer, onChange, trustsProject } = upstream;
  return {
    dirs,
    env,
    configFiles,
    isStrict,
    defer,
    onChange,
    trustsProject,
    ...(workspaceName !== undefined && { workspace: workspaceName }),
    ...(own !== undefined && { ownUrl: own }),
    ...(served !== undefined && { principals: served }),
    ...(userLogins !== undefined && { userLogins: userLogins() }),
    ...(isPassive === true && { isPassive }),
    ...(isBrief === true && { isBrief }),
    ownCommand: ownCommand(),
    toolNameMax: config.settings.mcp.toolNameMax,
    ownKey: config.settings.mcp.serverName,
    version: product.version,
    ...(isPassive !== true && isBrief !== true && { told: toldPlaceOf(start) }),
    ...(transport === "stdio" && { keptLists: keptListsFileOf(start, env, product.version) }),
    resultFolders: resultFolders(dirs.scorpioxDir),
    clientProcess: ownIdentity(),
  };
}
