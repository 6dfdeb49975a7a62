import { adapterOf, serverNames } from "../adapters.ts";
import type { RunResult } from "../result.ts";

/** What went wrong or has to be known, a line each; empty when there is nothing to say. */
export function noteLines(result: RunResult): string[] {
  return serverNames.flatMap((server) => {
    const { label } = adapterOf(server);
    const skipped = result.skipped[server];
    const notes = result.servers[server]?.notes ?? [];
    const reasons = skipped === undefined ? notes : [`skipped: ${skipped}`, ...notes];
    return reasons.map((reason) => `- ${label}: ${reason}`);
  });
}
