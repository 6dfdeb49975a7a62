import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { constants } from "node:os";

import { systemCodeOf } from "../../base/errors.ts";
import { loadLibc } from "./libc.ts";
import { loadWindowsJobs } from "./windows-jobs.ts";

/** The kernel's record of one process (Linux). */
export interface ProcStat {
  readonly pid: number;
  /** The system's name of its program: the first 15 characters of the file's name. */
  readonly name: string;
  readonly parentPid: number;
  readonly groupId: number;
  readonly state: string;
  /** It has a terminal that could send it signals. */
  readonly hasTerminal: boolean;
  /** Clock ticks after boot; with the pid it identifies one process permanently. */
  readonly startTicks: number;
}

/** The process `pid`, or undefined when there is none (or no `/proc`). */
export function readProcStat(pid: number): ProcStat | undefined {
  const text = readStat(pid);
  if (text === undefined) return undefined;
  const fields = fieldsOf(text);
  return {
    pid,
    name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")),
    state: fields[0] ?? "?",
    parentPid: Number(fields[1]),
    groupId: Number(fields[2]),
    hasTerminal: fields[4] !== "0",
    startTicks: Number(fields[19]),
  };
}

/** The values of `name` in the environment that `pid` was started with, or undefined. */
export function readProcVariable(pid: number, name: string): string | undefined {
  const text = readProcFile(`/proc/${pid}/environ`);
  return text === undefined ? undefined : variableIn(text, name);
}

/** The value of `name` in an environment as the kernel shows it. */
export function variableIn(text: string, name: string): string | undefined {
  const start = text.startsWith(`${name}=`) ? 0 : text.indexOf(`\0${name}=`) + 1;
  if (start === 0 && !text.startsWith(`${name}=`)) return undefined;
  const end = text.indexOf("\0", start);
  return text.slice(start + name.length + 1, end === -1 ? undefined : end);
}

/** Our own children, zombies included; those of the main thread, which is where orphans are adopted. */
export function listOwnChildren(): number[] {
  const text = readProcFile(`/proc/${process.pid}/task/${process.pid}/children`);
  return text === undefined ? [] : childrenIn(text);
}

/** Calls `look` with our own children until it returns false: a file that stays open is read three times as often. */
function watchOwnChildren(look: (children: readonly number[]) => boolean): void {
  let fd: number;
  try {
    fd = openSync(`/proc/self/task/${process.pid}/children`, "r");
  } catch {
    return; // A system without it gives this process no orphans either.
  }
  const buffer = Buffer.allocUnsafe(childrenBytes);
  try {
    for (let goesOn = true; goesOn;) {
      const text = buffer.toString("latin1", 0, readSync(fd, buffer, 0, buffer.length, 0));
      // The last number may be cut.
      goesOn = look(childrenIn(text.slice(0, text.lastIndexOf(" ") + 1)));
    }
  } finally {
    closeSync(fd);
  }
}

/** Room for some eight thousand numbers; of more, the first are seen until they are gone. */
const childrenBytes = 64 * 1024;

function childrenIn(text: string): number[] {
  return text.split(" ").filter(Boolean).map(Number);
}

/** All process ids; empty without `/proc`. */
export function listProcesses(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Clock ticks for which the living members of a process group have computed; undefined where the system does not say. */
export function groupTicks(groupId: number): number | undefined {
  const members = listProcesses()
    .flatMap((pid) => readStat(pid) ?? [])
    .map(fieldsOf)
    .filter((fields) => Number(fields[2]) === groupId);
  if (members.length === 0) return undefined;
  return members.reduce((sum, fields) => sum + Number(fields[11]) + Number(fields[12]), 0);
}

/** `pid (name) state parent group …`; the name may itself contain brackets and blanks. */
function readStat(pid: number): string | undefined {
  return readProcFile(`/proc/${pid}/stat`);
}

/** From the third on: its state, its parent, its group, … */
function fieldsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readProcFile(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined; // Gone, or not readable for this user.
  }
}

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

/** The permanent identity of one process, where the system reports when it was started. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTicks: number | null;
}

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTicks: readProcStat(process.pid)?.startTicks ?? null };
}

/** Whether it still runs, under any owner; another process may have taken its number. */
export function isRunningStill({ pid, startTicks }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It runs, as somebody else's.
    return systemCodeOf(error) === "EPERM";
  }
  const stat = readProcStat(pid);
  return startTicks === null || stat === undefined || stat.startTicks === startTicks;
}

/**
 * Each command carries a mark in its environment, `SCORPIOX_OWNER=<instance>.<number>`, by which it and
 * its descendants are recognised wherever they went: the guardian sweeps by instance, the supervisor by
 * the whole mark.
 */
export const ownerVariable = "SCORPIOX_OWNER";

/** The mark of one command of one server instance. */
export function ownerMark(instanceId: string, commandNumber: number): string {
  return `${instanceId}.${commandNumber}`;
}

/** True when `mark` was given by the server `instanceId`. */
export function isMarkOf(instanceId: string, mark: string | undefined): boolean {
  return mark !== undefined && mark.startsWith(`${instanceId}.`);
}

interface Hunt {
  /** Not to be touched, and not to be collected. */
  readonly isSpared: (pid: number) => boolean;
  /** Collects a zombie; false for a process that is not one. */
  readonly reap: (pid: number) => boolean;
}

/** The hunt blocks everything else: a process that is not caught in this time is hunted again later. */
const huntMsMax = 30;
/** A killed process that is not gone by then is stuck; the children that it leaves behind are found the next time. */
const dyingMs = 2;
/** The list is not a snapshot: a listed process may end, and its heir be listed before the place that was read. */
const emptyLooksMin = 2;

/**
 * Kills our own children and the heirs that they leave us, look after look without a pause: a process that forks and ends in
 * a tenth of a millisecond is another one each time that somebody looks at leisure.
 * @returns how many were killed
 */
export function huntChildren({ isSpared, reap }: Hunt): number {
  const startedAt = performance.now();
  const dying = new Set<number>();
  let lastFoundAt = startedAt;
  let killed = 0;
  let emptyLooks = 0;
  watchOwnChildren((children) => {
    let isEmpty = true;
    for (const pid of children) {
      if (isSpared(pid)) continue;
      isEmpty = false;
      if (reap(pid)) {
        dying.delete(pid);
      } else if (!dying.has(pid) && signalProcess(pid, "SIGKILL")) {
        dying.add(pid);
        killed += 1;
        lastFoundAt = performance.now();
      }
    }
    emptyLooks = isEmpty ? emptyLooks + 1 : 0;
    const now = performance.now();
    return emptyLooks < emptyLooksMin && now - lastFoundAt < dyingMs && now - startedAt < huntMsMax;
  });
  return killed;
}
