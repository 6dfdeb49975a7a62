import { dlopen, ptr } from "bun:ffi";

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
