import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import {
  limitCommand,
  loadLimitMarks,
  withProcessLimit,
} from "../../commands/process/command-limits.ts";
import { type CommandExit, filledPipe, spawnLeader } from "../../commands/process/command.ts";
import { type Libc, loadLibc } from "../../commands/process/libc.ts";
import type { Orphanage } from "../../commands/process/orphanage.ts";
import {
  listProcesses,
  ownerVariable,
  readProcStat,
  readProcVariable,
  type SentSignal,
  signalGroup,
  signalProcess,
} from "../../commands/process/processes.ts";
import { taskFiles } from "./kept-place.ts";
import { isSameAlive, keptProcessOf } from "./machine.ts";
import type { TaskProcesses, TaskRecord } from "./task-record.ts";

/**
 * The shell around a kept command: it writes down how the command ended, whatever has become of the hub. It does not end
 * when the family is asked to end. Signals that it catches are as usual for the command, and
 * its own words about an end by a signal are not in the output.
 */
const leaderScript = `trap : HUP INT QUIT TERM
umask "$1"
exit_file=$2
shift 2
exec 4>&2 2> /dev/null
(exec "$@" 2>&4 4>&-)
printf '%-3s\\n' "$?" 1<> "$exit_file"`;

/**
 * Carries the output into the file. The command itself has a pipe: opening \`/dev/stderr\` for writing would empty a file,
 * and is refused in a sandbox. It ends when nobody can print any more, and not when the hub does.
 */
const relayScript = `trap '' HUP INT QUIT TERM
exec cat`;

const programPath = "/usr/bin:/bin:/run/current-system/sw/bin";

export interface TaskStart {
  readonly folder: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly umask: number;
  readonly mark: string;
  readonly data: Uint8Array | undefined;
  /** Descriptors whose locks last as long as the task. */
  readonly locks: readonly number[];
  readonly onExit: (how: CommandExit) => void;
  /** The orphanage of this process, which must not take the command for an orphan. */
  readonly orphanage: Pick<Orphanage, "addDirectChild" | "removeDirectChild"> | undefined;
}

/**
 * Starts a command that does not depend on this process. Its processes are in a session of their own and have an owner mark that
 * is not this process's.
 * @throws AppError `system`, `unsupported`
 */
export function startTask(spec: TaskStart): TaskProcesses {
  const libc = loadLibc();
  if (libc === undefined) {
    throw new AppError("unsupported", "Kept tasks need the C library, which cannot be loaded.");
  }
  assertStartable(spec);
  const [readFd, writeFd] = libc.createPipe();
  const fds = [readFd, writeFd];
  try {
    const outputFd = openSync(join(spec.folder, taskFiles.output), "ax", 0o600);
    fds.push(outputFd);
    const relay = startRelay(spec, readFd, outputFd);
    const dataFds = spec.data === undefined ? [] : [filledPipe(spec.data, libc)];
    fds.push(...dataFds);
    const leader = startLeader(spec, libc, [writeFd, ...dataFds]);
    return { leader: keptProcessOf(leader), relay: keptProcessOf(relay) };
  } catch (error) {
    throw new AppError("system", `The command could not be started: ${messageOf(error)}.`, {
      cause: error,
    });
  } finally {
    for (const fd of fds) closeSync(fd);
  }
}

function assertStartable({ argv, cwd }: TaskStart): void {
  const missing = [cwd, ...argv.slice(0, 1)].find(
    (path) => path.startsWith("/") && !existsSync(path),
  );
  if (missing === undefined) return;
  throw new AppError("system", `The command could not be started: ${missing} does not exist.`);
}

function startRelay({ locks, orphanage }: TaskStart, readFd: number, outputFd: number): number {
  const child = Bun.spawn(["/bin/sh", "-c", relayScript], {
    cwd: "/",
    env: { PATH: programPath },
    stdio: [readFd, outputFd, "ignore", ...locks],
    detached: true,
    onExit: (ended) => orphanage?.removeDirectChild(ended.pid),
  });
  orphanage?.addDirectChild(child.pid);
  child.unref();
  return child.pid;
}

function startLeader(
  { folder, argv, cwd, env, umask, mark, onExit, orphanage }: TaskStart,
  libc: Libc,
  [writeFd, ...dataFds]: readonly [number, ...number[]],
): number {
  const shell = ["/bin/sh", "-c", leaderScript, "sh"];
  const mode = umask.toString(8).padStart(4, "0");
  const command = withProcessLimit(argv, mark);
  const child = spawnLeader(
    {
      argv: [...shell, mode, join(folder, taskFiles.exit), ...command],
      cwd,
      env: { ...env, PWD: cwd, [ownerVariable]: mark },
    },
    ["ignore", writeFd, writeFd, ...dataFds],
    (how) => {
      orphanage?.removeDirectChild(child.pid);
      onExit(how);
    },
  );
  orphanage?.addDirectChild(child.pid);
  limitCommand(libc, child.pid);
  child.unref();
  return child.pid;
}

/** All living processes of a task but its relay. Without `/proc` the leader alone. */
function membersOf({ mark }: TaskRecord, processes: TaskProcesses | undefined): number[] {
  const leader = processes?.leader;
  // The number of a group whose leader has ended may soon be another's; kernel threads are in group 0.
  const group = leader !== undefined && isSameAlive(leader) ? leader.pid : undefined;
  const marks = loadLimitMarks();
  const isMember = (pid: number): boolean => {
    const known = marks?.isOf(pid, mark);
    if (known === false) return false;
    const stat = readProcStat(pid);
    if (stat === undefined || stat.state === "Z" || stat.state === "X") return false;
    if (known === true || stat.groupId === group) return true;
    return readProcVariable(pid, ownerVariable) === mark;
  };
  const all = listProcesses();
  if (all.length > 0) return all.filter(isMember);
  return group === undefined ? [] : [group];
}

/** Whether anything of a task runs, for a task whose processes nobody has written down. */
export function hasMembers(record: TaskRecord): boolean {
  return membersOf(record, undefined).length > 0;
}

/** Looks again after these, in ms; the last one is repeated. */
const pollStepsMs = [1, 2, 4, 8, 16, 25, 50];
const killPatienceMs = 2_000;
/** The shell around the command has this long to write down how it ended. */
const leaderPatienceMs = 200;

/**
 * Ends everything of a task: TERM, `graceMs`, then KILL until nothing is left. Each process is looked up by its mark
 * right before it is signalled.
 * @returns true when nothing was left at the end
 */
export async function endTask(
  record: TaskRecord,
  processes: TaskProcesses | undefined,
  graceMs: number,
): Promise<boolean> {
  const asked = new Set<number>();
  const ask = (members: readonly number[]): void => {
    for (const pid of asksOf(record, members, processes)) {
      if (asked.has(pid)) continue;
      asked.add(pid);
      signal(pid, "SIGTERM", processes);
      signal(pid, "SIGCONT", processes);
    }
  };
  if (await untilGone(record, processes, graceMs, ask)) return true;
  const killFrom = performance.now();
  return untilGone(record, processes, killPatienceMs, (members) => {
    const sparesLeader = performance.now() - killFrom < leaderPatienceMs;
    for (const pid of members) {
      if (sparesLeader && pid === processes?.leader.pid && members.length > 1) continue;
      if (process.platform === "linux") signalProcess(pid, "SIGKILL");
      else signalGroup(pid, "SIGKILL");
    }
  });
}

/** Bubblewrap kills what it watches over when it is asked to end: the processes below it are asked. */
function asksOf(
  { isOverseen }: TaskRecord,
  members: readonly number[],
  processes: TaskProcesses | undefined,
): readonly number[] {
  if (!isOverseen) return members;
  const leader = processes?.leader.pid;
  return members.filter((pid) => pid !== leader && readProcStat(pid)?.name !== "bwrap");
}

function signal(pid: number, which: SentSignal, processes: TaskProcesses | undefined): void {
  if (process.platform === "linux") signalProcess(pid, which);
  else if (pid === processes?.leader.pid) signalGroup(pid, which);
}

async function untilGone(
  record: TaskRecord,
  processes: TaskProcesses | undefined,
  patienceMs: number,
  act: (members: readonly number[]) => void,
): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  for (let round = 0; ; round++) {
    const members = membersOf(record, processes);
    if (members.length === 0) return true;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    act(members);
    const stepMs = pollStepsMs[Math.min(round, pollStepsMs.length - 1)] ?? 50;
    await Bun.sleep(Math.min(stepMs, leftMs));
  }
}

/** A process that has got away may hold the output open: it is not waited for longer than this. */
const relayPatienceMs = 2_000;

/** Waits until all that was printed is in the file. */
export async function untilRelayed({ relay }: TaskProcesses): Promise<void> {
  const deadline = performance.now() + relayPatienceMs;
  for (let round = 0; isSameAlive(relay); round++) {
    if (performance.now() > deadline) {
      signalProcess(relay.pid, "SIGKILL");
      return;
    }
    await Bun.sleep(pollStepsMs[Math.min(round, pollStepsMs.length - 1)] ?? 50);
  }
}
