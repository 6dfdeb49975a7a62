import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import { isProcessAlive, readProcStat } from "../../commands/process/processes.ts";

/** Where the numbers of processes mean something. */
export interface Machine {
  readonly host: string;
  /** Another one after each start of the machine; empty where the system has none. */
  readonly bootId: string;
  /** A container shares the boot and perhaps the home, but not the numbers of processes. */
  readonly processSpace: string;
}

let known: Machine | undefined;

/** The one that this process runs on. */
export function thisMachine(): Machine {
  return (known ??= {
    host: hostname(),
    bootId: readBootId(),
    processSpace: linkOf("/proc/self/ns/pid"),
  });
}

/** `elsewhere`: on another machine or in another container, whose processes cannot be seen from here. */
export function whereIs(machine: Machine): "here" | "restarted" | "elsewhere" {
  const here = thisMachine();
  if (machine.host !== here.host) return "elsewhere";
  if (machine.bootId !== here.bootId) return "restarted";
  return machine.processSpace === here.processSpace ? "here" : "elsewhere";
}

/** One process for good: another one that gets its number was started at another time. */
export interface KeptProcess {
  readonly pid: number;
  /** When it was started, in the system's own words; empty where it had ended before that was read. */
  readonly start: string;
}

export function keptProcessOf(pid: number): KeptProcess {
  return { pid, start: startOf(pid) ?? "" };
}

/** False for a zombie too. */
export function isSameAlive({ pid, start }: KeptProcess): boolean {
  return start !== "" && isProcessAlive(pid) && startOf(pid) === start;
}

/** Undefined when no such process runs. */
function startOf(pid: number): string | undefined {
  if (process.platform === "linux") {
    const stat = readProcStat(pid);
    return stat === undefined || stat.state === "Z" ? undefined : String(stat.startTicks);
  }
  return outputOf(["/bin/ps", "-o", "lstart=", "-p", String(pid)]);
}

function readBootId(): string {
  if (process.platform !== "linux") {
    return outputOf(["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"]) ?? "";
  }
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return "";
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function outputOf(argv: string[]): string | undefined {
  try {
    const text = Bun.spawnSync(argv, { env: {} }).stdout.toString().trim();
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}
