import { readdirSync, readFileSync } from "node:fs";

import { eventually } from "./conditions.ts";

export interface ProcessInfo {
  readonly pid: number;
  readonly command: string;
}

let lastMarker = 0;

/** A number of seconds that no other `sleep` on this machine waits: a process can be told by it. */
export function uniqueSeconds(): string {
  lastMarker += 1;
  return `9${String(process.pid).padStart(7, "0")}${String(lastMarker).padStart(3, "0")}`;
}

/** Living processes whose command line contains `marker`; zombies have none. */
export function processesWith(marker: string): ProcessInfo[] {
  return listProcesses().filter(({ pid, command }) => {
    return pid !== process.pid && command.includes(marker);
  });
}

/** Those of them whose parent is none of them: a process that was just forked still looks like its parent. */
export function topProcessesWith(marker: string): ProcessInfo[] {
  const all = processesWith(marker);
  return all.filter(({ pid }) => {
    const parent = parentOf(pid);
    return parent !== 0 && !all.some((other) => other.pid === parent);
  });
}

/** Linux; 0 when it is gone. */
export function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}

export function isAlive(pid: number): boolean {
  return listProcesses().some((info) => info.pid === pid);
}

export async function allGone(marker: string, timeoutMs = 10_000): Promise<void> {
  const left = (): string => processesWith(marker).map(describe).join("; ");
  try {
    await eventually("gone", () => processesWith(marker).length === 0, timeoutMs);
  } catch {
    throw new Error(`still alive after ${timeoutMs} ms: ${left()}`);
  }
}

/** How many `sleep` processes wait for this time; not the shells that have it in their text. */
export function sleepers(seconds: string): number {
  const found = processesWith(`sleep ${seconds}`);
  return found.filter(({ command }) => command.startsWith("sleep")).length;
}

function describe({ pid, command }: ProcessInfo): string {
  return `${pid} ${command}`;
}

function listProcesses(): ProcessInfo[] {
  return process.platform === "linux" ? fromProc() : fromPs();
}

function fromProc(): ProcessInfo[] {
  const found: ProcessInfo[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      if (command !== "") found.push({ pid: Number(name), command });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

function fromPs(): ProcessInfo[] {
  const { stdout } = Bun.spawnSync(["ps", "-axo", "pid=,stat=,command="]);
  return stdout
    .toString()
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .filter((match) => !match[2]?.startsWith("Z"))
    .map((match) => ({ pid: Number(match[1]), command: match[3] ?? "" }));
}

/** What a process holds in memory, its Workers included. */
export function residentBytes(pid: number): number {
  // Without a process of its own, which would take the time of what is measured beside it.
  if (process.platform === "linux") return residentBytesFromProc(pid);
  const { stdout } = Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]);
  return Number(stdout.toString().trim()) * 1024;
}

/** 0 for one that has ended. */
function residentBytesFromProc(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
