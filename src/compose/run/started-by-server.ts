import type { Environment } from "../../base/values.ts";
import { ownerVariable } from "../../commands/process/processes.ts";
import { lookAtProcesses, originOf } from "../../commands/process/process-origin.ts";

/** The sign that a scorpiox-code server started this process; undefined when there is none. */
export async function startedByServer(env: Environment): Promise<string | undefined> {
  if (env[ownerVariable] !== undefined) return `${ownerVariable} is in its environment`;
  const lookAt = await lookAtProcesses();
  // Windows: the mark is the only sign.
  if (lookAt === undefined) return undefined;
  const origin = originOf(process.pid, lookAt);
  switch (origin.kind) {
    case "server":
      return `process ${origin.pid} above it is a server`;
    case "mark":
      return `process ${origin.pid} above it carries ${ownerVariable}`;
    case "unknown":
      return "its origin is unknown";
    case "person":
      return undefined;
  }
}
