/** What /proc says about a server and everything it has started. Memory is in MB of 1024 × 1024 bytes. */
import fs from "node:fs";

/** `root` and its descendants, parents first. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of fs.readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = parentOf(entry);
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [Number(entry)]);
    else siblings.push(Number(entry));
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

/** Anonymous pages: what this server adds to the machine, its shared executable not counted. */
export function privateMb(root: number): number {
  return sumOfMemory(root, (pid) => fieldMb(pid, "smaps_rollup", "Anonymous"));
}

/** Anonymous pages of this process alone. */
export function ownPrivateMb(pid: number): number {
  return fieldMb(pid, "smaps_rollup", "Anonymous");
}

/** Resident size of this process alone. */
export function ownResidentMb(pid: number): number {
  return fieldMb(pid, "status", "VmRSS");
}

/** Proportional share of all pages, the executable's included. */
export function proportionalMb(root: number): number {
  return sumOfMemory(root, (pid) => fieldMb(pid, "smaps_rollup", "Pss"));
}

/** Resident size, shared pages included. */
export function residentMb(root: number): number {
  return sumOfMemory(root, (pid) => fieldMb(pid, "status", "VmRSS"));
}

/** Highest resident size since the start or the last reset. */
export function peakResidentMb(root: number): number {
  return sumOfMemory(root, (pid) => fieldMb(pid, "status", "VmHWM"));
}

export function resetPeakResident(root: number): void {
  for (const pid of processTree(root)) {
    try {
      fs.writeFileSync(`/proc/${pid}/clear_refs`, "5");
    } catch {
      // The process has gone; it has no peak to reset.
    }
  }
}

/** Threads of the server itself whose name matches. */
export function countThreads(pid: number, name: RegExp): number {
  const names = threadsOf(pid).map((thread) => readProc(`${pid}/task/${thread}/comm`) ?? "");
  return names.filter((threadName) => name.test(threadName.trim())).length;
}

/** Processor time used so far by all threads of the tree. */
export function processorMs(root: number): number {
  return sumOf(processTree(root), ownProcessorMs);
}

/** Processor time used so far by all threads of this process alone. */
export function ownProcessorMs(pid: number): number {
  let total = 0;
  for (const thread of threadsOf(pid)) {
    const onCpuNs = readProc(`${pid}/task/${thread}/schedstat`)?.split(" ")[0] ?? "0";
    total += Number(onCpuNs) / 1e6;
  }
  return total;
}

/** A child that is not a program of its own yet has the memory of the process that starts it, which would count twice. */
function sumOfMemory(root: number, measure: (pid: number) => number): number {
  return sumOf(processTree(root).filter(isProgram), measure);
}

function isProgram(pid: number, _index: number, [root]: readonly number[]): boolean {
  const stat = statOf(String(pid));
  const parent = stat?.[parentId];
  if (pid === root || parent === undefined) return true;
  return stat?.[startOfStack] !== statOf(parent)?.[startOfStack];
}

function sumOf(pids: readonly number[], measure: (pid: number) => number): number {
  return pids.reduce((total, pid) => total + measure(pid), 0);
}

/** Fields of `/proc/PID/stat` behind the name. The stack of each program begins elsewhere. */
const parentId = 1;
const startOfStack = 25;

function parentOf(pid: string): number | undefined {
  const parent = statOf(pid)?.[parentId];
  return parent === undefined ? undefined : Number(parent);
}

function statOf(pid: string): string[] | undefined {
  const stat = readProc(`${pid}/stat`);
  // The name may hold spaces and brackets; the fields after its last bracket are plain.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function fieldMb(pid: number, file: string, key: string): number {
  const kilobytes = readProc(`${pid}/${file}`)?.match(new RegExp(`^${key}:\\s+(\\d+)`, "m"))?.[1];
  return kilobytes === undefined ? 0 : Number(kilobytes) / 1024;
}

function threadsOf(pid: number): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Undefined when the process has gone meanwhile. */
function readProc(name: string): string | undefined {
  try {
    return fs.readFileSync(`/proc/${name}`, "latin1");
  } catch {
    return undefined;
  }
}
