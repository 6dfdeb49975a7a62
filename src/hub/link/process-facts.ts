import { dlopen, ptr } from "bun:ffi";
import { readFileSync, statSync } from "node:fs";

/** Facts that distinguish a process from all others, also from one that has its number later. */
export interface ProcessFacts {
  readonly pid: number;
  /** When it began, in the system's own words. */
  readonly start: string;
  /** Device and inode of its executable: its name may be anything. */
  readonly program: string;
  readonly state: "running" | "stopped" | "ended";
  /** Grows while it computes. */
  readonly ticks: number;
}

/** Undefined for a process that is not there, of another user, or on a system that does not say. */
export function factsOf(pid: number): ProcessFacts | undefined {
  if (pid <= 0) return undefined;
  if (process.platform === "linux") return factsInProc(pid);
  return process.platform === "darwin" ? factsFromDarwin(pid) : undefined;
}

/** Whether it is the same process, and alive. */
export function isSameProcess(
  one: Pick<ProcessFacts, "start" | "program">,
  now: ProcessFacts | undefined,
): boolean {
  if (now === undefined || now.state === "ended") return false;
  return now.start === one.start && now.program === one.program;
}

function factsInProc(pid: number): ProcessFacts | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const [state = ""] = fields;
    return {
      pid,
      start: fields[19] ?? "",
      program: fileIdOf(`/proc/${pid}/exe`),
      state: stateOf(state),
      ticks: Number(fields[11]) + Number(fields[12]),
    };
  } catch {
    return undefined;
  }
}

function stateOf(letter: string): ProcessFacts["state"] {
  if (letter === "T" || letter === "t") return "stopped";
  return letter === "Z" || letter === "X" ? "ended" : "running";
}

function fileIdOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

/** `PROC_PIDTBSDINFO` fills a `struct proc_bsdinfo`, `PROC_PIDTASKINFO` a `struct proc_taskinfo`. */
const bsdInfo = { flavor: 3, bytes: 136, statusAt: 4, startAt: 120 } as const;
const taskInfo = { flavor: 4, bytes: 96, userAt: 16 } as const;
const SSTOP = 4;
const SZOMB = 5;
const pathBytes = 4096;

function openDarwin() {
  return dlopen("libproc.dylib", {
    proc_pidinfo: { args: ["i32", "i32", "u64", "ptr", "i32"], returns: "i32" },
    proc_pidpath: { args: ["i32", "ptr", "u32"], returns: "i32" },
  }).symbols;
}

let darwin: ReturnType<typeof openDarwin> | undefined;

function factsFromDarwin(pid: number): ProcessFacts | undefined {
  try {
    darwin ??= openDarwin();
    const info = Buffer.from(new ArrayBuffer(bsdInfo.bytes));
    const path = Buffer.from(new ArrayBuffer(pathBytes));
    const task = Buffer.from(new ArrayBuffer(taskInfo.bytes));
    if (darwin.proc_pidinfo(pid, bsdInfo.flavor, 0n, ptr(info), info.length) !== info.length) {
      return undefined;
    }
    const length = darwin.proc_pidpath(pid, ptr(path), path.length);
    if (length <= 0) return undefined;
    darwin.proc_pidinfo(pid, taskInfo.flavor, 0n, ptr(task), task.length);
    const status = info.readUInt32LE(bsdInfo.statusAt);
    return {
      pid,
      start: info.subarray(bsdInfo.startAt).toString("hex"),
      program: fileIdOf(path.toString("utf8", 0, length)),
      state: status === SSTOP ? "stopped" : status === SZOMB ? "ended" : "running",
      ticks: Number(
        task.readBigUInt64LE(taskInfo.userAt) + task.readBigUInt64LE(taskInfo.userAt + 8),
      ),
    };
  } catch {
    return undefined;
  }
}
