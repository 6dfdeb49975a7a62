import { product } from "../base/product.ts";
import type { SessionFacts } from "./upstream-sessions.ts";
import type { HubStatus } from "./watch/hub-status.ts";
import { residentBytesOfGroups } from "./watch/process-memory.ts";

export interface StatusParts {
  readonly startedAt: number;
  readonly build: string;
  readonly log: string;
  readonly endsWith: string | undefined;
  readonly sessions: readonly SessionFacts[];
  readonly kept: HubStatus["kept"];
}

type ServerRow = HubStatus["servers"][number];

/** Everything that `hub status` shows. Servers that several clients share are one row. */
export function statusOfHub(parts: StatusParts): HubStatus {
  const { startedAt, build, log, endsWith, sessions, kept } = parts;
  return {
    pid: process.pid,
    startedAt,
    version: product.version,
    build,
    ...(endsWith !== undefined && { endsWith }),
    log,
    clients: sessions.map(({ pid, sinceMs, projectDir, servers }) => ({
      pid,
      ...(projectDir !== undefined && { workspace: projectDir }),
      sinceMs,
      servers: servers.length,
    })),
    servers: serverRows(sessions),
    kept,
    hints: [],
  };
}

/** One for each process; a server without one has a row for each client, since nothing shows that it is the same. */
function serverRows(sessions: readonly SessionFacts[]): readonly ServerRow[] {
  const rows = new Map<string, ServerRow>();
  const pids = sessions.flatMap(({ servers }) => servers.flatMap(({ pid }) => pid ?? []));
  const memory = residentBytesOfGroups([...new Set(pids)]);
  for (const { pid: client, projectDir, servers } of sessions) {
    for (const { name, pid, state } of servers) {
      const key = pid === null ? `${client} ${name}` : String(pid);
      const known = rows.get(key);
      const row: ServerRow = known ?? {
        name,
        ...(pid !== null && { pid }),
        ...residentIn(memory, pid),
        state,
        users: [],
        isolation: "",
        ...(projectDir !== undefined && { workspace: projectDir }),
      };
      rows.set(key, { ...row, users: [...new Set([...row.users, client])] });
    }
  }
  return [...rows.values()].sort((one, other) => one.name.localeCompare(other.name));
}

/** Each server leads a process group. */
function residentIn(
  memory: ReadonlyMap<number, number>,
  pid: number | null,
): Pick<ServerRow, "residentBytes"> {
  const residentBytes = pid === null ? undefined : memory.get(pid);
  return residentBytes === undefined ? {} : { residentBytes };
}
