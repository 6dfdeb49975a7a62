import { shutdownDrainMs } from "../base/limits.ts";
import type { StartUp } from "../cli/start-up.ts";
import { killTime } from "../commands/process/end-grace.ts";
import { serveConnection } from "../server/serve-connection.ts";
import { StdioTransport } from "../server/transport/stdio.ts";
import { limitsFor, workspaceFallback } from "./client-profile.ts";
import { createServerContext } from "./create-server-context.ts";
import { LazyRouter } from "./lazy-router.ts";
import type { ProgramParts, ToolServicesOptions } from "./program-parts.ts";

const endSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * When the first Worker and the login shell are started if no call has asked for them: after the
 * handshake and the first lists, which would otherwise share the processor with them.
 */
const warmAfterMs = 50;

/** Serves the client on stdin and stdout until it goes or a signal comes. */
export async function serveStdio(
  parts: ProgramParts,
  start: StartUp,
  options: Omit<ToolServicesOptions, "start"> & { readonly cwd: string },
): Promise<number> {
  const transport = new StdioTransport();
  // Before the first Worker or child, either of which might write to descriptor 1.
  const beforeServices = (): Promise<unknown> => transport.claimStdout();
  const router = new LazyRouter(parts, { ...options, start, beforeServices, transport: "stdio" });
  let killAt: number | undefined;
  const connection = serveConnection({
    transport,
    server: createServerContext(router, start),
    client: {
      id: "stdio",
      limitsFor: (clientName) => limitsFor(start, clientName, options.warn),
      workspaceName: start.workspaceName,
      fallbackDir: start.cwdFlag ?? workspaceFallback(options.cwd, start.dirs.homeDir),
    },
    drainMs: shutdownDrainMs,
    // What the last requests take is no time of those who have to be ended.
    onInputEnd: () => {
      killAt = killTime();
    },
    onFirstInputHandled: () => void setTimeout(() => router.warm(), warmAfterMs).unref(),
  });
  for (const signal of endSignals) process.on(signal, () => connection.shutdown());
  await connection.ended;
  await router.close(killAt);
  return 0;
}
