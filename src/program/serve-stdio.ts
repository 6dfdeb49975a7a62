import { shutdownDrainMs } from "../base/limits.ts";
import type { StartUp } from "../cli/start-up.ts";
import { serveConnection } from "../server/serve-connection.ts";
import { ServerContext } from "../server/server-context.ts";
import { StdioTransport } from "../transport/stdio.ts";
import { instructions } from "./instructions.ts";
import { LazyRouter } from "./lazy-router.ts";
import type { ProgramParts, ToolServicesOptions } from "./program-parts.ts";

const endSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Serves the client on stdin and stdout until it goes or a signal comes. */
export async function serveStdio(
  parts: ProgramParts,
  start: StartUp,
  options: Omit<ToolServicesOptions, "start"> & { readonly cwd: string },
): Promise<number> {
  const transport = new StdioTransport();
  const router = new LazyRouter(parts, { ...options, start });
  const prepare = async (): Promise<void> => {
    // Before the first Worker or child, either of which might write to descriptor 1.
    await transport.claimStdout();
    await router.warm();
  };
  const connection = serveConnection({
    transport,
    server: new ServerContext(router, instructions),
    client: {
      id: "stdio",
      limitsFor: start.clients.limitsFor,
      fallbackDir: start.cwdFlag ?? workspaceFallback(options.cwd, start.dirs.homeDir),
    },
    drainMs: shutdownDrainMs,
    onFirstInputHandled: () => void prepare(),
  });
  for (const signal of endSignals) process.on(signal, () => connection.shutdown());
  await connection.ended;
  await router.close();
  return 0;
}

/** Desktop applications start servers in `/`, where no command should run by accident. */
export function workspaceFallback(cwd: string, homeDir: string): string {
  return cwd === "/" ? homeDir : cwd;
}
