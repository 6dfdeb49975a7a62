import { cutEnd } from "../../base/cut-text.ts";
import { isObject } from "../../base/values.ts";

/** All that a hub shows of itself. Fields are only ever added: a reader ignores those that it does not know. */
export interface HubStatus {
  readonly pid: number;
  /** Milliseconds since 1970, as every time here. */
  readonly startedAt: number;
  readonly version: string;
  readonly build: string;
  /** The client with which it ends, where it could not leave the one that started it. */
  readonly endsWith?: string;
  /** Path of its log. */
  readonly log: string;
  readonly clients: readonly HubClientStatus[];
  readonly servers: readonly HubServerStatus[];
  readonly kept: readonly KeptTaskStatus[];
  /** Advice for the user, in sentences. */
  readonly hints: readonly string[];
  /** Rows of these lists that are not here, since there are too many. */
  readonly leftOut?: number;
}

/** A process of scorpiox-code that uses the hub. */
interface HubClientStatus {
  readonly pid: number;
  /** The name that the MCP client gave. */
  readonly name?: string;
  readonly workspace?: string;
  readonly sinceMs: number;
  /** Upstream servers that it uses. */
  readonly servers: number;
}

/** An upstream server that the hub runs, or connects to. */
interface HubServerStatus {
  readonly name: string;
  /** Absent without a process: over HTTP, or not started. */
  readonly pid?: number;
  /** A state of docs/reference/states.md. */
  readonly state: string;
  /** Process ids of the clients. */
  readonly users: readonly number[];
  readonly isolation: string;
  readonly workspace?: string;
  /** The memory of its process and of all that it started. */
  readonly residentBytes?: number;
}

interface KeptTaskStatus {
  readonly id: number;
  readonly workspace: string;
  readonly command: string;
  /** `running`, or how it ended. */
  readonly state: string;
  readonly startedAt: number;
  readonly outputBytes: number;
  readonly pid?: number;
}

/** Rows of each list: more than the clients of one user make, and few enough that all of it fits into a message. */
const rowsMax = { clients: 128, servers: 256, kept: 128, hints: 32 } as const;
const usersMax = 64;
/** Characters of a name, a path or a command. */
const textCharsMax = 300;

/** Characters of a whole status as JSON: all rows with texts that are nothing but escapes. */
export const statusCharsMax = 4 * 1024 * 1024;

/**
 * The status in a value, within the bounds of a message; undefined for another value. Rows that are invalid or too many are left
 * out and counted, texts are cut. The hub sends nothing else, and its readers believe nothing else.
 */
export function readHubStatus(value: unknown): HubStatus | undefined {
  if (!isObject(value)) return undefined;
  const { pid, startedAt, version, build, endsWith, log, leftOut } = value;
  if (!isCount(pid) || !isCount(startedAt)) return undefined;
  if (!isText(version) || !isText(build) || !isText(log)) return undefined;
  const clients = readRows(value["clients"], rowsMax.clients, readClient);
  const servers = readRows(value["servers"], rowsMax.servers, readServer);
  const kept = readRows(value["kept"], rowsMax.kept, readKept);
  const hints = readRows(value["hints"], rowsMax.hints, readText);
  const missing =
    (isCount(leftOut) ? leftOut : 0) +
    [clients, servers, kept, hints].reduce((sum, list) => sum + list.leftOut, 0);
  return {
    pid,
    startedAt,
    version: cut(version),
    build: cut(build),
    ...(isText(endsWith) && { endsWith: cut(endsWith) }),
    log: cut(log),
    clients: clients.rows,
    servers: servers.rows,
    kept: kept.rows,
    hints: hints.rows,
    ...(missing > 0 && { leftOut: missing }),
  };
}

function readRows<Row>(
  value: unknown,
  max: number,
  read: (row: unknown) => Row | undefined,
): { readonly rows: readonly Row[]; readonly leftOut: number } {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const rows = list
    .slice(0, max)
    .map(read)
    .filter((row) => row !== undefined);
  return { rows, leftOut: list.length - rows.length };
}

function readClient(row: unknown): HubClientStatus | undefined {
  if (!isObject(row)) return undefined;
  const { pid, name, workspace, sinceMs, servers } = row;
  if (!isCount(pid) || !isCount(sinceMs)) return undefined;
  const clientName = readOptionalText(name);
  const folder = readOptionalText(workspace);
  return {
    pid,
    ...(clientName !== undefined && { name: clientName }),
    ...(folder !== undefined && { workspace: folder }),
    sinceMs,
    servers: isCount(servers) ? servers : 0,
  };
}

function readServer(row: unknown): HubServerStatus | undefined {
  if (!isObject(row)) return undefined;
  const { name, pid, state, users, isolation, workspace, residentBytes } = row;
  if (!isText(name) || !isText(state)) return undefined;
  const pids: readonly unknown[] = Array.isArray(users) ? users : [];
  const folder = readOptionalText(workspace);
  return {
    name: cut(name),
    ...(isCount(pid) && { pid }),
    state: cut(state),
    users: pids.filter(isCount).slice(0, usersMax),
    isolation: isText(isolation) ? cut(isolation) : "",
    ...(folder !== undefined && { workspace: folder }),
    ...(isCount(residentBytes) && { residentBytes }),
  };
}

function readKept(row: unknown): KeptTaskStatus | undefined {
  if (!isObject(row)) return undefined;
  const { id, workspace, command, state, startedAt, outputBytes, pid } = row;
  if (!isCount(id) || !isText(workspace) || !isText(command) || !isText(state)) return undefined;
  return {
    id,
    workspace: cut(workspace),
    command: cut(command),
    state: cut(state),
    startedAt: isCount(startedAt) ? startedAt : 0,
    outputBytes: isCount(outputBytes) ? outputBytes : 0,
    ...(isCount(pid) && { pid }),
  };
}

function readText(row: unknown): string | undefined {
  return isText(row) ? cut(row) : undefined;
}

function readOptionalText(value: unknown): string | undefined {
  return isText(value) && value !== "" ? cut(value) : undefined;
}

function cut(text: string): string {
  return cutEnd(text, textCharsMax);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
