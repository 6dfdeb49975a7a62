import { dlopen, ptr } from "bun:ffi";

import { openLinuxLibrary } from "../../base/linux-library.ts";

/** One end of a connection of this machine. */
export interface SocketEnd {
  /** `127.0.0.1` and the like, or `::1`. */
  readonly address: string;
  readonly port: number;
}

/** The user who owns the socket at `own` that is connected to `other`; undefined without such a socket. */
export type SocketOwner = (own: SocketEnd, other: SocketEnd) => number | undefined;

const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 0x80003;
const NETLINK_SOCK_DIAG = 4;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST = 1;
const MSG_DONTWAIT = 0x40;
const AF_INET = 2;
const AF_INET6 = 10;
const IPPROTO_TCP = 6;
const ESTABLISHED = 1;
const LISTEN = 10;
const anyStates = 0xffffffff;
const familyAt = 16;
const stateAt = 17;
const statesAt = 20;
/** Two ports in network order, two addresses of 16 bytes, an interface, a cookie. */
const idAt = { request: 24, reply: 20 } as const;
const endsBytes = 36;
const cookieAt = idAt.request + endsBytes + 4;
const requestBytes = 72;
const uidAt = 80;

/**
 * Asks the kernel for one socket by its two ends (`sock_diag(7)`): 4 µs however many connections there are, and
 * synchronously, so that no other socket can take its place. Undefined where the system does not say: not Linux, or a
 * Linux without it.
 */
export function openSocketOwner(): SocketOwner | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const ask = openDiagnosis();
    return ask !== undefined && tellsOfOwn(ask)
      ? (own, other) => ask(own, other, ESTABLISHED)
      : undefined;
  } catch {
    return undefined; // no usable C library, or nobody may listen
  }
}

type Diagnosis = (own: SocketEnd, other: SocketEnd, state: number) => number | undefined;

/** Whether it knows of a socket that is certainly there. */
function tellsOfOwn(ask: Diagnosis): boolean {
  const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const own = { address: "127.0.0.1", port: listener.port };
  const uid = ask(own, { address: "0.0.0.0", port: 0 }, LISTEN);
  listener.stop(true);
  return uid !== undefined && uid === process.getuid?.();
}

function openDiagnosis(): Diagnosis | undefined {
  const c = loadCalls();
  const fd = c.socket(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0) return undefined;
  const request = createRequest();
  const reply = Buffer.from(new ArrayBuffer(256));
  const [sent, received] = [ptr(request), ptr(reply)];
  return (own, other, state) => {
    if (!writeEnds(request, own, other)) return undefined;
    if (c.send(fd, sent, BigInt(requestBytes), 0) !== BigInt(requestBytes)) return undefined;
    const length = Number(c.recv(fd, received, BigInt(reply.length), MSG_DONTWAIT));
    if (length < uidAt + 4 || reply.readUInt16LE(4) !== SOCK_DIAG_BY_FAMILY) return undefined;
    // A socket that only listens there is found too, and a closed one is reported as root's.
    if (reply[stateAt] !== state || !hasSameEnds(request, reply)) return undefined;
    return reply.readUInt32LE(uidAt);
  };
}

function loadCalls() {
  const calls = {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    send: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
    recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
  } as const;
  return openLinuxLibrary(calls);
}

function createRequest(): Buffer {
  // Over a buffer of its own: that of a small array is moved when a part of it is looked at, and the kernel has its place.
  const request = Buffer.from(new ArrayBuffer(requestBytes));
  request.writeUInt32LE(requestBytes, 0);
  request.writeUInt16LE(SOCK_DIAG_BY_FAMILY, 4);
  request.writeUInt16LE(NLM_F_REQUEST, 6);
  request[familyAt + 1] = IPPROTO_TCP;
  request.writeUInt32LE(anyStates, statesAt);
  // Whatever its cookie.
  request.fill(0xff, cookieAt, cookieAt + 8);
  return request;
}

/** False for an address of another kind. */
function writeEnds(request: Buffer, own: SocketEnd, other: SocketEnd): boolean {
  const isSix = own.address === "::1" && other.address === "::1";
  request[familyAt] = isSix ? AF_INET6 : AF_INET;
  request.writeUInt16BE(own.port, idAt.request);
  request.writeUInt16BE(other.port, idAt.request + 2);
  return (
    writeAddress(request, own.address, isSix, idAt.request + 4) &&
    writeAddress(request, other.address, isSix, idAt.request + 20)
  );
}

function writeAddress(request: Buffer, address: string, isSix: boolean, at: number): boolean {
  request.fill(0, at, at + 16);
  if (isSix) {
    request[at + 15] = 1;
    return true;
  }
  const parts = address.split(".");
  for (let index = 0; index < 4; index++) request[at + index] = Number(parts[index]);
  return parts.length === 4;
}

function hasSameEnds(request: Buffer, reply: Buffer): boolean {
  const asked = request.subarray(idAt.request, idAt.request + endsBytes);
  return asked.equals(reply.subarray(idAt.reply, idAt.reply + endsBytes));
}

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

/** The descriptor of a socket: Bun has it and does not say so in its types. */
export function fdOf(socket: object): number {
  return "fd" in socket && typeof socket.fd === "number" ? socket.fd : -1;
}

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
