import type { ClientContext } from "../calls/call.ts";
import type { StartUp } from "./start-up.ts";

/** The client identity for calls of the command line. @param cwd where the command was started */
export function commandLineClient(start: StartUp, cwd: string): ClientContext {
  const { cwdFlag, workspaceName } = start;
  return {
    id: "command-line",
    // Nobody is there to read on later: a call runs to its end.
    limits: { ...start.clients.limitsFor(undefined), answerMs: 0 },
    workspaceDir: () => Promise.resolve(cwdFlag ?? cwd),
    ...(workspaceName === undefined ? {} : { workspaceName }),
  };
}
