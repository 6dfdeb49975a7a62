import { messageOf } from "../../base/errors.ts";
import type { ConfiguredServer, StdioLaunch } from "../config/server-entry.ts";
import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";

/** The process of a server as the main thread is asked for it. @param launch filled in */
export function processLaunchOf(
  { entry: { name, options } }: ConfiguredServer,
  { command, args, env, cwd }: StdioLaunch,
  surroundings: { readonly homeDir: string; readonly redact: (text: string) => string },
): ProcessLaunch {
  const { homeDir, redact } = surroundings;
  const { inheritEnv } = options;
  return { server: name, command, args, env, inheritEnv, cwd: cwd ?? homeDir, redact };
}

/** Resolves when nothing is left of them. Never rejects. */
export async function stopProcesses(processes: readonly UpstreamProcess[]): Promise<void> {
  const stops = processes.map((process) =>
    process.stop().catch((error: unknown) => messageOf(error)),
  );
  await Promise.all(stops);
}
