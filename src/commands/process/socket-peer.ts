import { dlopen, ptr } from "bun:ffi";

import { openLinuxLibrary } from "../../base/linux-library.ts";

/** The process that connected to a local socket. */
export interface SocketPeer {
  readonly uid: number;
  /**
   * 0 for a process that cannot be seen from here, as one of another container; undefined where the system does not
   * say.
   */
  readonly pid: number | undefined;
}

/** The process at the other end of a local socket; undefined when the system does not say. */
export type PeerOf = (fd: number) => SocketPeer | undefined;

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** A `struct ucred` is three of them: process, user, group. */
const ucredWords = 3;

/** Level and option of macOS for the process at the other end. */
const SOL_LOCAL = 0;
const LOCAL_PEERPID = 2;

/** Undefined on systems that do not say. Loading costs 0.2 ms: not before there is a connection. */
export function loadSocketPeer(): PeerOf | undefined {
  try {
    if (process.platform === "linux") return openLinux();
    if (process.platform === "darwin") return openDarwin();
  } catch {
    // No usable C library; the folder of the socket and the key keep others out.
  }
  return undefined;
}

const getsockopt = { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" } as const;

function openLinux(): PeerOf {
  const c = openLinuxLibrary({ getsockopt });
  const credentials = new Int32Array(ucredWords);
  const length = new Uint32Array(1);
  return (fd) => {
    length[0] = credentials.byteLength;
    const result = c.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ptr(credentials), ptr(length));
    const [pid = 0, uid = -1] = credentials;
    return result === 0 ? { uid, pid } : undefined;
  };
}

function openDarwin(): PeerOf {
  const getpeereid = { args: ["i32", "ptr", "ptr"], returns: "i32" } as const;
  const c = dlopen("libSystem.B.dylib", { getpeereid, getsockopt }).symbols;
  const [user, group] = [new Uint32Array(1), new Uint32Array(1)];
  const [process, length] = [new Int32Array(1), new Uint32Array(1)];
  return (fd) => {
    if (c.getpeereid(fd, ptr(user), ptr(group)) !== 0) return undefined;
    length[0] = process.byteLength;
    const result = c.getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, ptr(process), ptr(length));
    return { uid: user[0] ?? -1, pid: result === 0 ? process[0] : undefined };
  };
}
