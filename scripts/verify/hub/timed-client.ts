import { productBinary } from "../../../test/e2e/harness/binary.ts";
import { eventually } from "../../../test/e2e/harness/conditions.ts";
import { testEnvironment } from "../../../test/e2e/harness/server.ts";
import { Connection } from "../../bench/client/connection.ts";
import type { Reply, ToolCall } from "../../bench/client/message.ts";
import { hubVariables, type HubMode } from "./hub-clients.ts";
import type { HubHome } from "./hub-home.ts";

interface Launch {
  readonly binary?: string;
  /** Absent: its variables are not set at all, for an executable that does not know them. */
  readonly mode?: HubMode;
  readonly idleS?: number;
}

/** A client whose reads block, so that no event loop is between the answer and the clock. */
export function connect(
  home: HubHome,
  { binary = productBinary, mode, idleS }: Launch,
): Connection {
  const { SCORPIOX_HUB: _, SCORPIOX_HUB_IDLE: _idle, ...env } = testEnvironment(home.path);
  const hub =
    mode === undefined ? {} : hubVariables({ mode, ...(idleS !== undefined && { idleS }) });
  return new Connection({
    command: [binary],
    cwd: home.workspace,
    env: { ...env, SHELL: "/bin/sh", USER: "user", ...hub },
    stderrFile: "/dev/null",
  });
}

/** Tools of MCP servers in a `tools/list` reply. */
export function toolCount({ body }: Reply): number {
  return JSON.stringify(body).split('"name":"mcp__').length - 1;
}

/** Until so many tools are listed. */
export async function untilListed(connection: Connection, count: number): Promise<void> {
  await eventually(`${count} tools`, () => toolCount(connection.call("tools/list")) >= count);
}

/** Milliseconds of one call after the other. */
export function callTimes(connection: Connection, call: ToolCall, count: number): number[] {
  return Array.from({ length: count }, () => connection.time(connection.toolRequest(call)).ms);
}
