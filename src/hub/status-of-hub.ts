import { readFileSync } from "node:fs";

import { product } from "../base/product.ts";
import { type LookAt, lookAtProcesses, originOf } from "../commands/process/process-origin.ts";
import { listProcesses, readProcStat } from "../commands/process/processes.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import type { HubClient } from "./hub.ts";
import type { SessionFacts } from "./upstream-sessions.ts";
import type { HubStatus } from "./watch/hub-status.ts";

export interface StatusParts {
  readonly startedAt: number;
  readonly build: string;
  readonly log: string;
  readonly endsWith: string | undefined;
  readonly clients: readonly HubClient[];
  /** The sessions of the clients that use upstream servers. */
  readonly sessions: readonly SessionFacts[];
  readonly kept: HubStatus["kept"];
}

type ServerRow = HubStatus["servers"][number];

/** Everything that `hub status` shows. Servers that several clients share are one row. */
export function statusOfHub(parts: StatusParts): HubStatus {
  const { startedAt, build, log, endsWith, clients, sessions, kept } = parts;
  return {
    pid: process.pid,
    startedAt,
    version: product.version,
    build,
    ...(endsWith !== undefined && { endsWith }),
    log,
    clients: clients.map(({ pid, sinceMs }) => {
      const { projectDir, servers = [] } = sessions.find((session) => session.pid === pid) ?? {};
      return {
        pid,
        ...nameOf(pid),
        ...(projectDir !== undefined && { workspace: projectDir }),
        sinceMs,
        servers: servers.length,
      };
    }),
    servers: serverRows(sessions),
    kept,
    hints: [],
  };
}

/** One for each process. A client that has not used a server yet is counted with the process that it would use. */
function serverRows(sessions: readonly SessionFacts[]): readonly ServerRow[] {
  const pids = sessions.flatMap(({ servers }) => servers.flatMap(({ pid }) => pid ?? []));
  const memory = residentBytesOfGroups([...new Set(pids)]);
  const rows = new Map<string, ServerRow>();
  const add = (key: string, client: number, row: () => ServerRow): void => {
    const known = rows.get(key) ?? row();
    rows.set(key, { ...known, users: [...new Set([...known.users, client])] });
  };
  /** The first process of each server in each project. */
  const processes = new Map<string, string>();
  const each = sessions.flatMap(({ pid: client, projectDir, servers }) =>
    servers.map((info) => ({ client, projectDir, info, place: `${info.name}\n${projectDir}` })),
  );
  for (const { client, projectDir, info, place } of each) {
    if (info.pid === null) continue;
    const key = String(info.pid);
    if (!processes.has(place)) processes.set(place, key);
    add(key, client, () => rowOf(info, projectDir, memory));
  }
  for (const { client, projectDir, info, place } of each) {
    if (info.pid !== null) continue;
    add(processes.get(place) ?? place, client, () => rowOf(info, projectDir, memory));
  }
  return [...rows.values()].sort((one, other) => one.name.localeCompare(other.name));
}

function rowOf(
  { name, pid, state, isolation }: ServerInfo,
  projectDir: string | undefined,
  memory: ReadonlyMap<number, number>,
): ServerRow {
  const residentBytes = pid === null ? undefined : memory.get(pid);
  return {
    name,
    ...(pid !== null && { pid }),
    ...(residentBytes !== undefined && { residentBytes }),
    state,
    users: [],
    isolation: isolation ?? "",
    ...(projectDir !== undefined && { workspace: projectDir }),
  };
}

/** The program that has started a client: the AI client, or what runs it. */
function nameOf(pid: number): { readonly name?: string } {
  const parent = readProcStat(pid)?.parentPid ?? 0;
  const name = parent > 1 ? readProcStat(parent)?.name : undefined;
  return name === undefined ? {} : { name };
}

/** Resident memory of one process; undefined where the system does not say (Linux says). */
export function residentBytesOf(pid: number): number | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    return undefined; // Gone, or no /proc.
  }
  const kilobytes = /^VmRSS:\s*(\d+) kB$/m.exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/**
 * Resident memory of process groups, by the numbers of the groups: of a server and all that it started. Pages that several of its
 * processes share are in it several times. Groups without a process are not in it.
 */
export function residentBytesOfGroups(groupIds: readonly number[]): ReadonlyMap<number, number> {
  const wanted = new Set(groupIds);
  const sums = new Map<number, number>();
  if (wanted.size === 0) return sums;
  for (const pid of listProcesses()) {
    const groupId = readProcStat(pid)?.groupId;
    if (groupId === undefined || !wanted.has(groupId)) continue;
    const bytes = residentBytesOf(pid);
    if (bytes !== undefined) sums.set(groupId, (sums.get(groupId) ?? 0) + bytes);
  }
  return sums;
}

/**
 * The process or the service with which a hub ends although clients may still need it, in words; undefined when it has left the process
 * that started it. To be asked when the hub begins: later that process may be gone.
 * @param starter the parent of the hub
 */
export async function starterThatEnds(starter = process.ppid): Promise<string | undefined> {
  return starterIn(starter, await lookAtProcesses());
}

/** A server ends all that a command of its leaves behind, whatever that is. */
export function starterIn(starter: number, lookAt: LookAt | undefined): string | undefined {
  if (lookAt === undefined || starter <= 1) return undefined;
  const origin = originOf(starter, lookAt);
  const isBelowServer = origin.kind === "server" || origin.kind === "mark";
  return isBelowServer ? `process ${origin.pid}` : undefined;
}

/** The service of systemd that this process is in and ends with; undefined in a scope of its own, or of a session. */
export function serviceThatEnds(cgroups = readCgroups()): string | undefined {
  const line = cgroups.split("\n").find((one) => /^0::|^\d+:name=systemd:/.test(one));
  const unit = line?.slice(line.lastIndexOf("/") + 1) ?? "";
  // The user's manager is a service itself: it ends with the last session.
  return unit.endsWith(".service") && !unit.startsWith("user@") ? unit : undefined;
}

function readCgroups(): string {
  try {
    return readFileSync("/proc/self/cgroup", "utf8");
  } catch {
    return "";
  }
}
