import { product } from "../base/product.ts";
import { readProcStat } from "../commands/process/processes.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import type { HubClient } from "./hub.ts";
import type { SessionFacts } from "./upstream-sessions.ts";
import type { HubStatus } from "./watch/hub-status.ts";
import { residentBytesOfGroups } from "./watch/process-memory.ts";

export interface StatusParts {
  readonly startedAt: number;
  readonly build: string;
  readonly log: string;
  readonly endsWith: string | undefined;
  readonly clients: readonly HubClient[];
  /** Of the clients that use upstream servers. */
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

/** One for each process. A client that has not used a server yet counts for the process that it would use. */
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
