import { Server, type ServerMessage } from "../../../test/e2e/harness/server.ts";
import type { HubHome } from "./hub-home.ts";

const modes = ["auto", "on", "off"] as const;
export type HubMode = (typeof modes)[number];

/** @throws Error for another text */
export function hubModeOf(text: string): HubMode {
  const found = modes.find((mode) => mode === text);
  if (found === undefined) throw new Error(`--hub ${text}: it must be one of ${modes.join(", ")}`);
  return found;
}

interface ClientOptions {
  readonly mode?: HubMode;
  /** Seconds from the last client's end to the hub's. */
  readonly idleS?: number;
  readonly workspace?: string;
}

/** Variables that say how the hub is used, whatever the harness was told. */
export function hubVariables({ mode = "auto", idleS = 10 }: ClientOptions): Record<string, string> {
  return { SCORPIOX_HUB: mode, SCORPIOX_HUB_IDLE: String(idleS) };
}

/** A client process of this home. */
export function startClient(home: HubHome, options: ClientOptions = {}): Server {
  const cwd = options.workspace ?? home.workspace;
  return new Server({ home: home.folder, cwd, env: hubVariables(options) });
}

/** Names of the tools of MCP servers, sorted. */
export async function listedTools(server: Server): Promise<readonly string[]> {
  return namesIn(await server.request("tools/list", {}, 60_000));
}

function namesIn({ result, error }: ServerMessage): readonly string[] {
  if (error !== undefined) throw new Error(`tools/list: ${error.message}`);
  const tools = result?.["tools"] as readonly { readonly name: string }[];
  const names = tools.map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
  return names.toSorted();
}

/** Ends all of them at once. */
export async function endAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
}

/** A figure and what was wrong, of one part of a check. */
export interface Part {
  readonly name: string;
  readonly figure: string;
  readonly faults: readonly string[];
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
