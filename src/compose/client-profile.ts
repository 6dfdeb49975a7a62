import type { StartUp } from "../cli/start-up.ts";
import type { ClientLimits } from "../calls/call.ts";

/** The client's limits; what is wrong with the file that overrides them is said when it is first read. */
export function limitsFor(
  { clients }: StartUp,
  clientName: string | undefined,
  warn: (message: string) => void,
): ClientLimits {
  const limits = clients.limitsFor(clientName);
  if (!reported.has(clients)) {
    reported.add(clients);
    for (const problem of clients.problems()) warn(problem.message);
  }
  return limits;
}

/** Tables whose problems have been said. */
const reported = new WeakSet<object>();

/** Desktop applications start servers in `/`, where no command should run by accident. */
export function workspaceFallback(cwd: string, homeDir: string): string {
  return cwd === "/" ? homeDir : cwd;
}
