import { ptr } from "bun:ffi";

import { connectionDescriptorsLookedAtMax } from "../../base/limits.ts";
import { openLinuxLibrary } from "../../base/linux-library.ts";
import type { SocketEnd, SocketOwner } from "./socket-owner.ts";

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

/** Of a `struct sockaddr_in` or `sockaddr_in6` of Linux. */
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
