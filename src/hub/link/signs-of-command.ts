import { loadLibc } from "../../commands/process/libc.ts";
import { type LookAt, originOf } from "../../commands/process/process-origin.ts";

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
