import type { Router, TaskSupport } from "../../calls/call.ts";
import type { ServerFeatures } from "../../calls/features.ts";

/** Whether calls of this tool can be answered with an MCP task. */
export function taskSupportOf(router: Router, toolName: string): TaskSupport {
  return router.taskSupport?.(toolName) ?? "none";
}

/** True when some tool makes MCP tasks: only then the extension is declared and its methods exist. */
export function offersTasks({ router }: ServerFeatures): boolean {
  if (router.isOpen === true) return true;
  return router.list().some(({ name }) => taskSupportOf(router, name) !== "none");
}
