import { FaultError } from "./ask-client.ts";
import type { CallRequest, TaskOptions } from "./call.ts";

/**
 * Lets a call go on as an MCP task. False when its client takes none, or there are too many: then the call is
 * answered as if there were no MCP tasks.
 */
export function tryBecomeTask({ becomeTask }: CallRequest, options: TaskOptions): boolean {
  if (becomeTask === undefined) return false;
  try {
    becomeTask(options);
    return true;
  } catch (error) {
    if (error instanceof FaultError) return false;
    throw error;
  }
}
