import { dlopen, ptr } from "bun:ffi";

/** The user at the other end of a local socket; undefined when the system does not tell. */
export type PeerUid = (fd: number) => number | undefined;

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** A `struct ucred` is three of them: process, user, group. */
const ucredWords = 3;

/** Undefined on systems that do not tell. Loading costs 0.2 ms: not before there is a connection. */
export function loadPeerUid(): PeerUid | undefined {
  try {
    if (process.platform === "linux") return openLinux();
    if (process.platform === "darwin") return openDarwin();
  } catch {
    // No usable C library; the folder of the socket and the key keep others out.
  }
  return undefined;
}

function openLinux(): PeerUid {
  const getsockopt = { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" } as const;
  const open = (name: string) => dlopen(name, { getsockopt }).symbols;
  let c: ReturnType<typeof open>;
  try {
    c = open("libc.so.6");
  } catch {
    c = open(`libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`);
  }
  const credentials = new Int32Array(ucredWords);
  const length = new Uint32Array(1);
  return (fd) => {
    length[0] = credentials.byteLength;
    const result = c.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ptr(credentials), ptr(length));
    return result === 0 ? credentials[1] : undefined;
  };
}

function openDarwin(): PeerUid {
  const getpeereid = { args: ["i32", "ptr", "ptr"], returns: "i32" } as const;
  const c = dlopen("libSystem.B.dylib", { getpeereid }).symbols;
  const [user, group] = [new Uint32Array(1), new Uint32Array(1)];
  return (fd) => (c.getpeereid(fd, ptr(user), ptr(group)) === 0 ? user[0] : undefined);
}
