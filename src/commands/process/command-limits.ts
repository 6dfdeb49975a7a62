import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";

import { commandDescriptorsMax, processesReserve } from "../../base/limits.ts";
import { type Libc, type Limits, loadLibc } from "./libc.ts";
import { loadLimitMarks } from "./limit-mark.ts";

/** The limits of all commands of this process: they have the same user and the same limits to begin with. */
let processes: Limits | undefined | null = null;

/** Of util-linux: sets limits and becomes the command. */
const prlimit = "/usr/bin/prlimit";

/**
 * Reserves room for the server beside its commands (Linux): a user who is not root has one number of processes and
 * threads, and a process that is refused a thread is aborted. Called as soon as `pid` runs. A command may raise its
 * number of descriptors again, as some have to, and not that of processes.
 */
export function limitCommand(libc: Libc, pid: number): void {
  if (process.platform !== "linux") return;
  const descriptors = fewerDescriptors(libc);
  if (descriptors !== undefined) libc.limit(pid, "descriptors", descriptors);
  const limits = processLimits(libc);
  if (limits !== undefined) libc.limit(pid, "processes", limits);
}

/**
 * The command behind a program that limits its processes before it is there: where processors are busy a shell starts
 * many before `limitCommand` comes. For shells and the programs that confine them: if the system refused to start a
 * program behind it,
 * the reason would be lost. The command itself on systems without that program, and where nothing is limited.
 * @param mark its owner mark, which it has as a limit too before it is there
 */
export function withProcessLimit(argv: readonly string[], mark: string): readonly string[] {
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  const limits = libc === undefined ? undefined : processLimits(libc);
  const program = argv[0] ?? "";
  // A missing program must fail under its own name.
  if (limits === undefined || !isAbsolute(program) || !existsSync(program)) return argv;
  if (!existsSync(prlimit)) return argv;
  const number = loadLimitMarks()?.of(mark);
  const locks = number === undefined ? [] : [`--locks=${number}:${number}`];
  return [prlimit, `--nproc=${limits.soft}:${limits.hard}`, ...locks, "--", ...argv];
}

/** Whether commands may have fewer processes than this program: then none may begin before it has its limit. */
export function hasProcessLimit(): boolean {
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  return libc !== undefined && processLimits(libc) !== undefined;
}

function processLimits(libc: Libc): Limits | undefined {
  if (processes === null) processes = fewerProcesses(libc);
  return processes;
}

/** The same for a process that becomes the command: Bun raises the limit of descriptors of each program it starts as. */
export function limitOwnDescriptors(): void {
  const libc = loadLibc();
  if (libc === undefined) return;
  const descriptors = fewerDescriptors(libc);
  if (descriptors !== undefined) libc.limit(0, "descriptors", descriptors);
}

function fewerDescriptors(libc: Libc): Limits | undefined {
  const limits = libc.limitsOf("descriptors");
  if (limits === undefined || limits.soft <= commandDescriptorsMax) return undefined;
  return { ...limits, soft: BigInt(commandDescriptorsMax) };
}

/** Of a small number, commands get half. The system does not count those of root. */
function fewerProcesses(libc: Libc): Limits | undefined {
  const limits = libc.limitsOf("processes");
  if (limits === undefined || process.geteuid?.() === 0) return undefined;
  const half = limits.soft / 2n;
  const reserve = half < processesReserve ? half : BigInt(processesReserve);
  const left = limits.soft - reserve;
  return { soft: left, hard: left };
}
