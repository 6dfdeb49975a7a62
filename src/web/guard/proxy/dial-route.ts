import type { Socket } from "node:net";
import { connect as connectTls } from "node:tls";

import { dialFirst, unreached } from "../../../network/dial.ts";
import { bracketed } from "../../../network/host-name.ts";
import { parseIp } from "../../../network/address-rules.ts";
import {
  cancelled,
  type Destination,
  type Resolve,
  resolveHost,
} from "../../../network/judge-host.ts";
import type { Route, UpstreamProxy } from "../../../network/route.ts";
import { type HeaderField, headText, readHead } from "./request-head.ts";

/** Bytes of an answer to CONNECT, which has some hundred bytes. */
const answerBytesMax = 16 * 1024;
/** The user's proxy connects before it answers. */
const answerMsMax = 30_000;
/** For the TLS handshake with the user's proxy. */
const handshakeMsMax = 10_000;

export interface Line {
  readonly socket: Socket;
  /** Bytes that came before the line was handed over. */
  readonly first: Buffer;
}

/**
 * A line to a destination on which both sides may say anything: direct, or through CONNECT of the user's proxy.
 * @throws AppError `system`, `cancelled`
 */
export async function dialTunnel(
  route: Route,
  destination: Destination,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Line> {
  if (route.kind === "direct") {
    const { host, port } = destination;
    const { socket } = await dialFirst(host, route.addresses, port, signal);
    return { socket, first: Buffer.alloc(0) };
  }
  const socket = await dialProxy(route.proxy, resolve, signal);
  const onAbort = (): void => void socket.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return { socket, first: await askConnect(socket, route.proxy, destination) };
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? cancelled(signal) : error;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * A connection to the user's proxy, which the user chose: its addresses are not judged.
 * @throws AppError `system`, `cancelled`
 */
export async function dialProxy(
  proxy: UpstreamProxy,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Socket> {
  const isKnown = parseIp(proxy.host) !== undefined;
  const addresses = isKnown ? [proxy.host] : await resolveHost(proxy.host, resolve, signal);
  const { socket } = await dialFirst(proxy.host, addresses, proxy.port, signal);
  return proxy.isTls ? handshake(socket, proxy, signal) : socket;
}

function handshake(socket: Socket, proxy: UpstreamProxy, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const name = parseIp(proxy.host) === undefined ? { servername: proxy.host } : {};
    const secured = connectTls({ socket, ...name, host: proxy.host });
    const fail = (reason: string, cause?: unknown): void => {
      settle();
      secured.destroy();
      socket.destroy();
      reject(signal.aborted ? cancelled(signal) : unreached(proxy.host, proxy.port, reason, cause));
    };
    const onAbort = (): void => fail("cancelled");
    const timer = setTimeout(() => fail("no answer to the TLS handshake"), handshakeMsMax);
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    secured.on("error", (error) => fail(`TLS failed (${error.message})`, error));
    secured.once("secureConnect", () => {
      settle();
      resolve(secured);
    });
  });
}

/** @returns the bytes behind the proxy's answer */
async function askConnect(
  socket: Socket,
  proxy: UpstreamProxy,
  { host, port }: Destination,
): Promise<Buffer> {
  const authority = `${bracketed(host)}:${port}`;
  const fields: HeaderField[] = [["Host", authority], ...proxyFields(proxy)];
  socket.write(headText(`CONNECT ${authority} HTTP/1.1`, fields));
  const limits = { bytesMax: answerBytesMax, msMax: answerMsMax, emptyLine: "lenient" } as const;
  const read = await readHead(socket, limits);
  const status = read.kind === "head" ? /^HTTP\/1\.[01] (\d{3})/.exec(read.text)?.[1] : undefined;
  if (read.kind === "head" && status?.startsWith("2") === true) return read.rest;
  const said = status === undefined ? "gave no answer" : `answered ${status}`;
  throw unreached(host, port, `the proxy ${proxy.origin} ${said}`);
}

/** Headers for the user's proxy besides the request itself. */
export function proxyFields(proxy: UpstreamProxy): HeaderField[] {
  return proxy.authorization === undefined ? [] : [["Proxy-Authorization", proxy.authorization]];
}
