import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { CommandIo } from "./command-io.ts";
import { trustOf } from "./server-rows.ts";
import type { StartUp } from "./start-up.ts";

/** The server of a tool's name, if it waits for approval. */
export async function waitingServer(
  toolName: string,
  start: StartUp,
  io: CommandIo,
): Promise<string | undefined> {
  const { servers } = loadUpstreamConfig(configPartsOf(start, io.env));
  for (const [name, server] of servers) {
    const isMeant = [`mcp__${name}__`, `mcp:${name}.`, `mcp_${name}_`].some((head) =>
      toolName.startsWith(head),
    );
    if (!isMeant || !server.entry.isEnabled) continue;
    const trust = await trustOf(server, start);
    if (trust === "pending" || trust === "denied") return name;
  }
  return undefined;
}
