import { constants } from "node:os";

import { loadLibc } from "./libc.ts";

/** Signals that this program sends, most polite first. */
export type SentSignal = "SIGTERM" | "SIGCONT" | "SIGKILL";

/** Signals the process group `groupId`. False when it has no members left. */
export function signalGroup(groupId: number, signal: SentSignal): boolean {
  return send(-groupId, constants.signals[signal]);
}

/** True while the process group has a member, a zombie included. */
export function isGroupAlive(groupId: number): boolean {
  return send(-groupId, 0);
}

/** Signals one process. False when there is none. */
export function signalProcess(pid: number, signal: SentSignal): boolean {
  return send(pid, constants.signals[signal]);
}

/** True while a process `pid` exists, a zombie included. */
export function isProcessAlive(pid: number): boolean {
  return send(pid, 0);
}

function send(pid: number, signal: number): boolean {
  if (Math.abs(pid) <= 1) return false; // Never "everything", never init.
  const libc = loadLibc();
  if (libc !== undefined) return libc.kill(pid, signal);
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
