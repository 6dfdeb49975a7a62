import { ptr } from "bun:ffi";

import {
  connectionCloseLookMs,
  connectionDescriptorsLookedAtMax,
  connectionLookMs,
  connectionsMax,
  descriptorsLookedAtMax,
  descriptorsReserve,
  descriptorsScarce,
} from "../../base/limits.ts";
import { openLinuxLibrary } from "../../base/linux-library.ts";
import { type Libc, loadLibc } from "./libc.ts";
import type { SocketEnd, SocketOwner } from "./socket-owner.ts";

export interface ConnectionCapParts {
  /** The port of the listening socket. */
  readonly port: number;
  /** Closes connections on which no request is under way. */
  readonly closeIdle: () => void;
  readonly connectionsMax?: number;
  readonly lookMs?: number;
}

/**
 * Keeps the number of connections to `port` within bounds: `Bun.serve` takes any number, and a process without
 * free descriptors can start no command. Looks once a second (10 µs), more often when descriptors run short: above
 * the bound idle connections are closed, then the newest others. Linux only. Returns how to stop.
 */
export function capConnections(parts: ConnectionCapParts): () => void {
  const libc = loadLibc();
  if (libc === undefined || process.platform !== "linux") return () => {};
  const look = createLook(libc, parts);
  let timer: ReturnType<typeof setTimeout>;
  const lookAfter = (ms: number): void => {
    timer = setTimeout(() => lookAfter(look()), ms).unref();
  };
  lookAfter(parts.lookMs ?? connectionLookMs);
  return () => clearTimeout(timer);
}

/** Closes connections above the limit; returns the time of the next check. */
function createLook(libc: Libc, parts: ConnectionCapParts): () => number {
  const { port, closeIdle, lookMs = connectionLookMs } = parts;
  const descriptors = libc.descriptorsMax();
  // At least half of them, where descriptors are scarce.
  const room = Math.max(descriptors - descriptorsReserve, descriptors / 2);
  const max = Math.min(parts.connectionsMax ?? connectionsMax, Math.floor(room));
  const open = new OpenDescriptors(libc, Math.min(descriptors, descriptorsLookedAtMax));
  const connections = (): number[] => open.list().filter((fd) => libc.connectedPort(fd) === port);
  return () => {
    const { length } = open.list();
    if (length > max && connections().length > max) {
      closeIdle();
      // Descriptors are given out from below: the highest are, by and large, the newest.
      for (const fd of connections().slice(max)) libc.shutDown(fd);
    }
    const isScarce = descriptors - length < descriptorsScarce;
    return isScarce && length > max / 2 ? Math.min(lookMs, connectionCloseLookMs) : lookMs;
  };
}

/** Looked at at first; a server without clients has some thirty. */
const extentMin = 256;
/** A `struct pollfd`: the descriptor, then the requested and the returned events as halves of a number. */
const wordsEach = 2;
/** Returned for a number that is not an open descriptor. */
const POLLNVAL = 0x20;

/**
 * The open descriptors of this process, found without opening one: a listing of `/proc/self/fd` fails just when
 * there are too many. Numbers are given out from below, so only as many are looked at as are in use, by and large:
 * 10 µs for a quiet server, 40 ns for each number of a busy one.
 */
export class OpenDescriptors {
  readonly #libc: Pick<Libc, "pollNow">;
  readonly #numbersMax: number;
  #polled: Int32Array = new Int32Array(0);

  /** @param numbersMax above it none is looked for; not more than this process may have */
  constructor(libc: Pick<Libc, "pollNow">, numbersMax: number) {
    this.#libc = libc;
    this.#numbersMax = numbersMax;
    this.#look(extentMin);
  }

  /** In rising order. */
  list(): number[] {
    const open = this.#look(this.#extent);
    // One step down for each look: a closed descriptor below does not immediately hide an open one above.
    if (this.#extent > extentMin && !this.#isUpperHalfUsed(open)) this.#resize(this.#extent / 2);
    return open;
  }

  get #extent(): number {
    return this.#polled.length / wordsEach;
  }

  /** Twice as many as long as the upper half of them is in use. */
  #look(extent: number): number[] {
    if (extent !== this.#extent) this.#resize(extent);
    const open = this.#poll();
    const isAll = this.#extent >= this.#numbersMax;
    return isAll || !this.#isUpperHalfUsed(open) ? open : this.#look(extent * 2);
  }

  #isUpperHalfUsed(open: readonly number[]): boolean {
    return (open.at(-1) ?? 0) >= this.#extent / 2;
  }

  #poll(): number[] {
    if (!this.#libc.pollNow(this.#polled)) return [];
    const open: number[] = [];
    for (let fd = 0; fd < this.#extent; fd++) {
      const events = this.#polled[fd * wordsEach + 1] ?? 0;
      if (((events >> 16) & POLLNVAL) === 0) open.push(fd);
    }
    return open;
  }

  #resize(extent: number): void {
    const length = Math.min(Math.ceil(extent), this.#numbersMax);
    this.#polled = new Int32Array(length * wordsEach);
    for (let fd = 0; fd < length; fd++) this.#polled[fd * wordsEach] = fd;
  }
}

/** Our end of a connection: the cookie of a socket is never given to another one. */
interface Known {
  readonly address: string;
  readonly fd: number;
  readonly cookie: bigint;
  readonly uid: number | undefined;
}

const SOL_SOCKET = 1;
const SO_COOKIE = 57;
/** Room for a `struct sockaddr` of any family. */
const addressBytes = 128;
const AF_INET = 2;
const AF_INET6 = 10;

/**
 * The users behind the connections to a server of scorpiox-code. The kernel is asked with the first request of a
 * connection; with the next ones it is seen that our end of it is still the same socket and still connected (0.5 µs),
 * since another user may get the same port as soon as a connection has ended.
 */
export class ConnectionUsers {
  readonly #known = new Map<number, Known>();
  readonly #sockets = openSockets();

  constructor(private readonly ownerOf: SocketOwner) {}

  /** @param client where a request came from just now, and `server` where to */
  userOf(client: SocketEnd, server: SocketEnd): number | undefined {
    const known = this.#known.get(client.port);
    if (known?.address === client.address && this.#isStillThere(known)) return known.uid;
    const uid = this.ownerOf(client, server);
    const fd = this.#sockets.find(client, server.port);
    const cookie = fd === undefined ? undefined : this.#sockets.cookieOf(fd);
    // Without it each request is asked about.
    if (fd === undefined || cookie === undefined) this.#known.delete(client.port);
    else this.#known.set(client.port, { address: client.address, fd, cookie, uid });
    return uid;
  }

  #isStillThere({ fd, cookie }: Known): boolean {
    const sockets = this.#sockets;
    return sockets.isConnected(fd) && sockets.cookieOf(fd) === cookie;
  }
}

interface Sockets {
  isConnected(fd: number): boolean;
  cookieOf(fd: number): bigint | undefined;
  /** The descriptor of a connection from that address to this server's port. */
  find(client: SocketEnd, serverPort: number): number | undefined;
}

function openSockets(): Sockets {
  const c = loadCalls();
  // Each over a buffer of its own, which stays where it is.
  const address = new Uint8Array(new ArrayBuffer(addressBytes));
  const length = new Uint32Array(new ArrayBuffer(4));
  const cookie = new BigUint64Array(new ArrayBuffer(8));
  const [atAddress, atLength, atCookie] = [ptr(address), ptr(length), ptr(cookie)];
  const read = (call: typeof c.getpeername, fd: number): boolean => {
    length[0] = address.length;
    return call(fd, atAddress, atLength) === 0;
  };
  return {
    isConnected: (fd) => read(c.getpeername, fd),
    cookieOf(fd) {
      length[0] = cookie.byteLength;
      const result = c.getsockopt(fd, SOL_SOCKET, SO_COOKIE, atCookie, atLength);
      return result === 0 ? cookie[0] : undefined;
    },
    find(client, serverPort) {
      for (let fd = 0; fd < connectionDescriptorsLookedAtMax; fd++) {
        if (!read(c.getpeername, fd) || portIn(address) !== client.port) continue;
        if (addressIn(address) !== client.address || !read(c.getsockname, fd)) continue;
        if (portIn(address) === serverPort) return fd;
      }
      return undefined;
    },
  };
}

/** The port in a `struct sockaddr_in` or `sockaddr_in6` of Linux. */
function portIn(address: Uint8Array): number {
  return ((address[2] ?? 0) << 8) | (address[3] ?? 0);
}

/** Undefined for an address that is neither IPv4 nor `::1`. */
function addressIn(address: Uint8Array): string | undefined {
  if (address[0] === AF_INET) return address.slice(4, 8).join(".");
  const isLoopback = address.slice(8, 24).join("") === "0000000000000001";
  return address[0] === AF_INET6 && isLoopback ? "::1" : undefined;
}

function loadCalls() {
  const calls = {
    getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
  } as const;
  return openLinuxLibrary(calls);
}
