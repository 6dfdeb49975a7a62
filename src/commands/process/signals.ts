import { constants } from "node:os";

import { systemCodeOf } from "../../base/errors.ts";
import { loadLibc } from "./libc.ts";
import { loadWindowsJobs } from "./windows-job.ts";

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
