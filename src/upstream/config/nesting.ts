import type { Environment } from "../../config/environment.ts";

/** True in a process that another one of this program has started as a server of its own (CF20). */
export function isNested(env: Environment): boolean {
  const depth = env["SCORPIOX_DEPTH"]?.trim() ?? "";
  return depth !== "" && depth !== "0";
}
