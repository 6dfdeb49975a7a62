import { ptr } from "bun:ffi";
import { closeSync, readFileSync } from "node:fs";

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
  /** It is the hub of another build: it may ask for kept tasks, and for nothing else. */
  readonly isOtherHub: boolean;
  /** The process that connected is alive: its number belongs to no other. */
  isThere(): boolean;
}

interface Known {
  /** Undefined where the system does not say who is at the other end. */
  readonly peerOf: PeerOf | undefined;
  readonly lookAtAll: () => Promise<LookAt | undefined>;
  readonly isOwnProgram: (facts: ProcessFacts) => boolean;
  readonly isOtherHub: (facts: ProcessFacts) => boolean;
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
      isOtherHub: () => false,
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
    const isOther =
      facts !== undefined && !this.#known.isOwnProgram(facts) && this.#known.isOtherHub(facts);
    const refusal =
      peer === undefined || pid === 0
        ? "the system does not say which process it is"
        : peer.uid !== process.getuid?.()
          ? "it belongs to another user"
          : (this.#factsRefusal(facts, isOther) ?? (await this.#originRefusal(pid, isOther)));
    return {
      pid,
      refusal: refusal ?? (isThere() ? undefined : goneText),
      isOtherHub: isOther,
      isThere,
      [Symbol.dispose]: () => end?.close(),
    };
  }

  #factsRefusal(facts: ProcessFacts | undefined, isOther: boolean): string | undefined {
    if (facts === undefined || facts.state === "ended" || isYounger(facts)) return goneText;
    if (!isOther && !this.#known.isOwnProgram(facts)) return "it runs another program than the hub";
    return hasLowerLimit(facts.pid)
      ? "it has the limit of file locks that marks commands of a server"
      : undefined;
  }

  async #originRefusal(pid: number, isOther: boolean): Promise<string | undefined> {
    const lookAt = await this.#known.lookAtAll();
    if (lookAt === undefined) return "the system does not list its parent processes";
    // Another hub may still be a child of the server that has started it.
    const origin = originOf(pid, isOther ? withoutServers(lookAt) : lookAt);
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
}

const withoutServers =
  (lookAt: LookAt): LookAt =>
  (pid) => {
    const look = lookAt(pid);
    return look === undefined ? undefined : { ...look, isProduct: false };
  };

const goneText = "the process that connected has ended";

/** Clock ticks of the kernel in a second, on every Linux that Bun runs on. */
const ticksPerSecond = 100;

/** It began after its connection was there: another process has its number now. */
function isYounger({ start }: ProcessFacts): boolean {
  if (process.platform !== "linux") return false;
  const uptime = Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]);
  return Number(start) > uptime * ticksPerSecond + 1;
}

/** A command that has wiped its environment and lost its parents still has the limit that its server gave it. */
function hasLowerLimit(pid: number): boolean {
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  const own = libc?.limitsOf("locks");
  const its = libc?.limitOf(pid, "locks");
  return own !== undefined && its !== undefined && its.hard < own.hard;
}

const SOL_SOCKET = 1;
const SO_PEERPIDFD = 77;

interface PeerEnd {
  /** The process has ended; another may have its number. */
  hasCome(): boolean;
  close(): void;
}

/** Follows the very process that connected (Linux 6.5 and later); undefined where that is not possible. */
function openPeerEnd(fd: number): PeerEnd | undefined {
  const libc = process.platform === "linux" ? loadLibc() : undefined;
  if (libc === undefined) return undefined;
  const c = openLinuxLibrary({
    getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
  });
  const found = new Int32Array([-1]);
  const length = new Uint32Array([found.byteLength]);
  const result = c.getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, ptr(found), ptr(length));
  let [handle = -1] = found;
  if (result !== 0 || handle < 0) return undefined;
  return {
    hasCome: () => handle < 0 || libc.isReadable(handle),
    close() {
      if (handle >= 0) closeSync(handle);
      // Another file may have the number now.
      handle = -1;
    },
  };
}
