/** What is there of a home's hub and of everything it started: read from /proc and from `run/`. */
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { join } from "node:path";

import { productBinary } from "../../../test/e2e/harness/binary.ts";

export interface HomeProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Whether it runs our executable. */
  readonly isOurs: boolean;
}

/** Processes that were started for this home: its path is in their environment, command line or working directory. */
export function processesOf(home: string, binary = productBinary): readonly HomeProcess[] {
  const program = realpathSync(binary);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => processOf(Number(name), home, program))
    .filter((info) => info !== undefined);
}

/** Undefined for a process of somebody else, and for one that has ended, zombies included. */
function processOf(pid: number, home: string, program: string): HomeProcess | undefined {
  const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  const isOfHome =
    command.includes(home) ||
    read(`/proc/${pid}/environ`).includes(home) ||
    target(`/proc/${pid}/cwd`).startsWith(home);
  if (!isOfHome) return undefined;
  const stat = read(`/proc/${pid}/stat`);
  const [state = "", parent = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(parent), command, isOurs: target(`/proc/${pid}/exe`) === program };
}

/** Processes of our executable that are none of these clients: one hub, when all is well. */
export function hubsOf(home: string, clients: readonly number[]): readonly HomeProcess[] {
  return processesOf(home).filter(({ pid, isOurs }) => isOurs && !clients.includes(pid));
}

/** The process that says in `run/` that it is the hub, if it lives. */
export function hubPidOf(home: string): number | undefined {
  const pids = runFiles(home)
    .filter((path) => path.endsWith("/lock") && isLocked(path))
    .map((path) => Number((JSON.parse(read(path) || "{}") as { pid?: number }).pid))
    .filter((pid) => existsSync(`/proc/${pid}`));
  return pids[0];
}

/**
 * Sockets and held locks in `run/`, a line for each. The socket by which a client that was killed was watched stays until the next
 * client finds it: it is not the hub's.
 */
function leftInRun(home: string): readonly string[] {
  const listening = read("/proc/net/unix")
    .split("\n")
    .filter((line) => line.includes(home))
    .map((line) => `an open socket: ${line.split(" ").at(-1)}`);
  const found = runFiles(home).flatMap((path) => {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined) return [];
    if (info.isSocket() && path.includes("/hub-")) return [`a socket: ${path}`];
    return isLocked(path) ? [`a held lock: ${path}`] : [];
  });
  return [...listening, ...found];
}

/** Processes, sockets and locks that are left of this home, a line for each. */
export function leftOf(home: string): readonly string[] {
  const processes = processesOf(home).map(({ pid, command }) => `${pid} ${command}`);
  return [...processes, ...leftInRun(home)];
}

/** A lock of any kind, by the kernel's own list. */
function isLocked(path: string): boolean {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return false;
  return read("/proc/locks")
    .split("\n")
    .some((line) => new RegExp(String.raw`:${info.ino} `).test(line));
}

function runFiles(home: string): readonly string[] {
  const run = join(home, ".scorpiox/run");
  if (!existsSync(run)) return [];
  const names = readdirSync(run, { recursive: true, encoding: "utf8" });
  return names.map((name) => join(run, name));
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function target(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
