import { eventually } from "../../../test/e2e/harness/conditions.ts";
import type { Server } from "../../../test/e2e/harness/server.ts";
import { type HubMode, startClient } from "./hub-clients.ts";
import type { HubHome } from "./hub-home.ts";
import { hubsOf, processesOf } from "./hub-traces.ts";

/** Milliseconds of the first lists, and other figures. */
export interface Run {
  readonly firstMs: readonly number[];
  readonly figure: string;
}

export interface Listed {
  readonly firstMs: number;
  /** Tools of the first list. */
  readonly first: number;
  readonly lists: number;
}

export function startMany(
  home: HubHome,
  mode: HubMode,
  folders: readonly string[],
): readonly Server[] {
  return folders.map((workspace) => startClient(home, { mode, workspace, idleS: 0 }));
}

/** One hub, and nothing else of ours but the clients. */
export async function assertHub(
  home: HubHome,
  clients: readonly Server[],
  mode: HubMode,
): Promise<void> {
  const pids = clients.map(({ pid }) => pid);
  const wanted = mode === "off" ? 0 : 1;
  await eventually(
    "the processes that started the hub have ended",
    () => hubsOf(home.path, pids).length <= wanted,
    5_000,
  ).catch(() => undefined);
  const hubs = hubsOf(home.path, pids);
  if (hubs.length === wanted) return;
  const shown = hubs.map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`);
  throw new Error(`${hubs.length} hubs, not ${wanted}: ${shown.join("; ")}`);
}

export function processFigure(home: HubHome, late: number): string {
  const all = processesOf(home.path);
  const own = all.filter(({ isOurs }) => isOurs).length;
  return `${all.length} processes, ${own} of ours; ${late} clients needed another list`;
}

/** The folders in which clients start. */
export function folders(home: HubHome, count: number, isOne: boolean): readonly string[] {
  return Array.from({ length: count }, (_, at) =>
    isOne ? home.workspace : home.folder.folder(`workspace${at + 1}`),
  );
}
