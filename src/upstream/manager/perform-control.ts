import { setTimeout as sleep } from "node:timers/promises";

import type { SearchedTool } from "../search/searched-tool.ts";
import { isComing, type ServerInfo } from "../server-state.ts";
import type { UpstreamControl } from "../upstreams.ts";
import { askServer } from "./ask-server.ts";
import { installServer } from "./install-server.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { tryServer } from "./try-server.ts";

export interface ControlParts extends ManagerParts {
  infoList(): readonly ServerInfo[];
  searched(): readonly SearchedTool[];
  /** @throws AppError `not_found` */
  server(name: string): ManagedServer;
}

/**
 * What the command line asks for (CN18).
 * @throws AppError `not_found` for a server that is not configured; `cancelled`
 */
export async function performControl(
  control: Exclude<
    UpstreamControl,
    { kind: "switch-workspace" | "switch-project" | "several-principals" | "show-apps" }
  >,
  signal: AbortSignal,
  parts: ControlParts,
): Promise<unknown> {
  switch (control.kind) {
    case "info":
      return parts.infoList();
    case "connect":
      return connect(parts.server(control.server), control.waitMs);
    case "disconnect": {
      const server = parts.server(control.server);
      await server.disconnect();
      return server.info();
    }
    case "ask":
      return askServer(control.server, parts, signal, control);
    case "install":
      return installServer(control.server, parts, signal);
    case "try":
      return tryServer(control.server, parts, signal);
    case "tools": {
      const { server } = control;
      return parts.searched().filter((tool) => server === undefined || tool.server === server);
    }
  }
}

/** Until it is known how the start went, or for `waitMs`. */
async function connect(server: ManagedServer, waitMs: number): Promise<ServerInfo> {
  server.connect();
  const deadline = performance.now() + waitMs;
  while (isComing(server.info().state) && performance.now() < deadline) await sleep(lookMs);
  return server.info();
}

const lookMs = 20;
