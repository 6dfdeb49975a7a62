import { dlopen, ptr } from "bun:ffi";
import { constants } from "node:os";

import { systemCodeOf } from "../../base/errors.ts";
import { loadLibc } from "./libc.ts";

/** Signals that this program sends, most polite first. */
export type SentSignal = "SIGTERM" | "SIGCONT" | "SIGKILL";

/** Signals the process group `groupId`. False when it has no members left. */
export function signalGroup(groupId: number, signal: SentSignal): boolean {
  if (process.platform === "win32") return signal !== "SIGCONT" && endWindowsTree(groupId);
  return send(-groupId, constants.signals[signal]);
}

/** True while the process group has a member, a zombie included. */
export function isGroupAlive(groupId: number): boolean {
  if (process.platform === "win32") return loadWindowsJobs()?.isAlive(groupId) ?? false;
  return send(-groupId, 0);
}

/** Signals one process. False when it does not exist. */
export function signalProcess(pid: number, signal: SentSignal): boolean {
  return send(pid, constants.signals[signal]);
}

/** True while a process `pid` exists, a zombie included. */
export function isProcessAlive(pid: number): boolean {
  return send(pid, 0);
}

/** Windows has no polite request: the tree is ended immediately. Without job objects, the leader only. */
function endWindowsTree(pid: number): boolean {
  return loadWindowsJobs()?.terminate(pid) ?? send(pid, constants.signals.SIGKILL);
}

function send(pid: number, signal: number): boolean {
  if (Math.abs(pid) <= 1) return false; // Never "everything", never init.
  const libc = loadLibc();
  if (libc?.kill(pid, signal) === true) return true;
  // Without a C library, or refused: a command that became another user's (`sudo`) is there all the same.
  if (libc !== undefined && process.getuid?.() === 0) return false;
  try {
    return process.kill(pid, signal);
  } catch (error) {
    // macOS refuses zombies too, which are not there any more.
    return process.platform === "linux" && systemCodeOf(error) === "EPERM";
  }
}

/**
 * Job objects, the process groups of Windows. A job holds a process and all its descendants, and is
 * ended with its last handle, so that nothing outlives the server (Windows only; no test runs it).
 */
interface WindowsJobs {
  /** Puts a new child into a job of its own. Processes that it started before that moment stay outside. */
  adopt(pid: number): void;
  /** Ends all processes of the child's job. False when it has none. */
  terminate(pid: number): boolean;
  /** True while the child's job has a process. */
  isAlive(pid: number): boolean;
}

const PROCESS_SET_QUOTA_AND_TERMINATE = 0x0101;
const JobObjectBasicAccountingInformation = 1;
const JobObjectExtendedLimitInformation = 9;
const JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE = 0x2000;
/** Size of JOBOBJECT_EXTENDED_LIMIT_INFORMATION on 64 bits, and the place of LimitFlags in it. */
const extendedLimitBytes = 144;
const limitFlagsAt = 16;
/** Size of JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, and the place of ActiveProcesses in it. */
const accountingBytes = 48;
const activeProcessesAt = 40;

const functions = {
  CreateJobObjectW: { args: ["ptr", "ptr"], returns: "ptr" },
  SetInformationJobObject: { args: ["ptr", "i32", "ptr", "u32"], returns: "i32" },
  QueryInformationJobObject: { args: ["ptr", "i32", "ptr", "u32", "ptr"], returns: "i32" },
  OpenProcess: { args: ["u32", "i32", "u32"], returns: "ptr" },
  AssignProcessToJobObject: { args: ["ptr", "ptr"], returns: "i32" },
  TerminateJobObject: { args: ["ptr", "u32"], returns: "i32" },
  CloseHandle: { args: ["ptr"], returns: "i32" },
} as const;

type Kernel = ReturnType<typeof dlopen<typeof functions>>["symbols"];
type Handle = NonNullable<ReturnType<Kernel["CreateJobObjectW"]>>;

let loaded: WindowsJobs | undefined | null = null;

/** Job objects, or undefined where they cannot be reached. */
export function loadWindowsJobs(): WindowsJobs | undefined {
  if (loaded === null) loaded = process.platform === "win32" ? open() : undefined;
  return loaded;
}

function open(): WindowsJobs | undefined {
  let kernel: Kernel;
  try {
    kernel = dlopen("kernel32.dll", functions).symbols;
  } catch {
    return undefined; // No `bun:ffi` on this processor: children are ended one by one.
  }
  const jobs = new Map<number, Handle>();
  const close = (pid: number, job: Handle): void => {
    jobs.delete(pid);
    kernel.CloseHandle(job);
  };
  return {
    adopt(pid) {
      const job = createJob(kernel, pid);
      if (job !== undefined) jobs.set(pid, job);
    },
    terminate(pid) {
      const job = jobs.get(pid);
      if (job === undefined || activeProcesses(kernel, job) === 0) return false;
      return kernel.TerminateJobObject(job, 1) !== 0;
    },
    isAlive(pid) {
      const job = jobs.get(pid);
      if (job === undefined) return false;
      if (activeProcesses(kernel, job) > 0) return true;
      close(pid, job);
      return false;
    },
  };
}

function createJob(kernel: Kernel, pid: number): Handle | undefined {
  const job = kernel.CreateJobObjectW(null, null);
  if (job === null) return undefined;
  const limits = Buffer.alloc(extendedLimitBytes);
  limits.writeUInt32LE(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, limitFlagsAt);
  kernel.SetInformationJobObject(
    job,
    JobObjectExtendedLimitInformation,
    ptr(limits),
    limits.byteLength,
  );
  const child = kernel.OpenProcess(PROCESS_SET_QUOTA_AND_TERMINATE, 0, pid);
  if (child === null) {
    kernel.CloseHandle(job);
    return undefined;
  }
  kernel.AssignProcessToJobObject(job, child);
  kernel.CloseHandle(child);
  return job;
}

function activeProcesses(kernel: Kernel, job: Handle): number {
  const accounting = Buffer.alloc(accountingBytes);
  const kind = JobObjectBasicAccountingInformation;
  const isRead = kernel.QueryInformationJobObject(
    job,
    kind,
    ptr(accounting),
    accountingBytes,
    null,
  );
  return isRead === 0 ? 0 : accounting.readUInt32LE(activeProcessesAt);
}
