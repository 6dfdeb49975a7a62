import { ptr } from "bun:ffi";
import { closeSync, readFileSync } from "node:fs";
import { release } from "node:os";

import { openLinuxLibrary } from "../../base/linux-library.ts";
import { loadLibc } from "../../commands/process/libc.ts";
import { type LookAt, lookAtProcesses, originOf } from "../../commands/process/process-origin.ts";
import { loadSocketPeer, type PeerOf } from "../../commands/process/socket-owner.ts";
import { factsOf, isSameProcess, type ProcessFacts } from "./process-facts.ts";

/** The process at the other end of a connection, as far as it was looked at. */
export interface JudgedPeer extends Disposable {
  readonly pid: number;
  /** Undefined when it may come in. */
  readonly refusal: string | undefined;
  /** The process that connected is alive: its number belongs to no other. */
  isThere(): boolean;
}

interface Known {
  /** Undefined where the system does not say who is at the other end. */
  readonly peerOf: PeerOf | undefined;
  readonly lookAtAll: () => Promise<LookAt | undefined>;
  readonly isOwnProgram: (facts: ProcessFacts) => boolean;
}

/** Judges the processes that connect to the hub of this process. */
export class PeerJudge {
  readonly #known: Known;

  /** @param known in place of the system's knowledge, for tests */
  constructor(known: Partial<Known> = {}) {
    const own = factsOf(process.pid);
    this.#known = {
      peerOf: loadSocketPeer(),
      lookAtAll: lookAtProcesses,
      isOwnProgram: ({ program }) => program === own?.program,
      ...known,
    };
  }

  /**
   * Looks at the process that has connected at `fd`. Only a process of this program that a person's client has started
   * may come in: any command runs as the same user, and can read the key.
   */
  async judge(fd: number): Promise<JudgedPeer> {
    const peer = this.#known.peerOf?.(fd);
    const pid = peer?.pid ?? 0;
    const end = openPeerEnd(fd);
    const facts = factsOf(pid);
    const isThere = (): boolean =>
      facts !== undefined && end?.hasCome() !== true && isSameProcess(facts, factsOf(pid));
    const refusal =
      peer === undefined || pid === 0
        ? "the system does not say which process it is"
        : peer.uid !== process.getuid?.()
          ? "it belongs to another user"
          : (this.#factsRefusal(facts) ?? signOfCommand(pid, await this.#known.lookAtAll()));
    return {
      pid,
      refusal: refusal ?? (isThere() ? undefined : goneText),
      isThere,
      [Symbol.dispose]: () => end?.close(),
    };
  }

  #factsRefusal(facts: ProcessFacts | undefined): string | undefined {
    if (facts === undefined || facts.state === "ended" || isYounger(facts)) return goneText;
    return this.#known.isOwnProgram(facts) ? undefined : "it runs another program than the hub";
  }
}

const goneText = "the process that connected has ended";

/** Clock ticks of the kernel in a second, on every Linux that Bun runs on. */
const ticksPerSecond = 100;

/** It began after its connection was there: another process has its number now. */
function isYounger({ start }: ProcessFacts): boolean {
  if (process.platform !== "linux") return false;
  const uptime = Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]);
  return Number(start) > uptime * ticksPerSecond + 1;
}

const SOL_SOCKET = 1;
const SO_TYPE = 3;
const SO_PEERPIDFD = 77;

/** Linux 6.5 and later. */
function followsPeers(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return major > 6 || (major === 6 && minor >= 5);
}

interface PeerEnd {
  /** The process has ended; another may have its number. */
  hasCome(): boolean;
  close(): void;
}

/** Follows the very process that connected; undefined where that is not possible. */
function openPeerEnd(fd: number): PeerEnd | undefined {
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  if (libc === undefined) return undefined;
  const c = openLinuxLibrary({
    getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
  });
  const found = new Int32Array([-1]);
  const length = new Uint32Array([found.byteLength]);
  const ask = (option: number): boolean => {
    length[0] = found.byteLength;
    return c.getsockopt(fd, SOL_SOCKET, option, ptr(found), ptr(length)) === 0;
  };
  const isSocket = ask(SO_TYPE);
  found[0] = -1;
  const isKnown = ask(SO_PEERPIDFD);
  let [handle = -1] = found;
  if (!isKnown || handle < 0) {
    // Kernels before 6.16 know nothing of a process that has ended; its number may be another's.
    return isSocket && followsPeers() ? { hasCome: () => true, close: () => {} } : undefined;
  }
  return {
    hasCome: () => handle < 0 || libc.isReadable(handle),
    close() {
      if (handle >= 0) closeSync(handle);
      // Another file may have the number now.
      handle = -1;
    },
  };
}

/** The system's word for "no limit". */
const unlimited = 2n ** 64n - 1n;

/**
 * Whether a process has the limit of file locks that a server gives its commands (`LimitMarks`), which stays with one that has wiped
 * its environment and lost its parents. Compared with no limit and not with that of this process: any process of the user may lower
 * the limits of another. Nobody else sets it, since Linux has not looked at it for twenty years.
 */
function hasCommandLimit(pid: number): boolean {
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  const limit = libc?.limitOf(pid, "locks");
  return limit !== undefined && limit.hard < unlimited;
}

/** Why a process may not be at the other end of a link: a command of a server has started it. Undefined: none has. */
export function signOfCommand(pid: number, lookAt: LookAt | undefined): string | undefined {
  if (hasCommandLimit(pid)) return "it has the limit of file locks that marks commands of a server";
  if (lookAt === undefined) return "the system does not list its parent processes";
  const origin = originOf(pid, lookAt);
  switch (origin.kind) {
    case "server":
      return `a server (process ${origin.pid}) has started it`;
    case "mark":
      return `process ${origin.pid} carries the mark of processes that servers start`;
    case "unknown":
      return "its parent processes cannot be determined";
    case "person":
      return undefined;
  }
}

/** For a hub, which may still be a child of the server that has started it; a command of that has more signs. */
export function withoutServers(lookAt: LookAt | undefined): LookAt | undefined {
  if (lookAt === undefined) return undefined;
  return (pid) => {
    const look = lookAt(pid);
    return look === undefined ? undefined : { ...look, isProduct: false };
  };
}
