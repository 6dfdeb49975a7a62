import type { Socket } from "node:net";

import { AppError, messageOf } from "../../../base/errors.ts";
import { dialFirst } from "../../../network/dial.ts";
import { hostOf, portOf } from "../../../network/host-name.ts";
import type { Destination } from "../../../network/judge-host.ts";
import { routeTo, type Roads, type Route } from "../../../network/route.ts";
import { hostAccessOf, type Allowance } from "../network-guard.ts";
import { dialProxy, dialTunnel, proxyFields } from "./dial-route.ts";
import {
  plainReply,
  refusalHeader,
  type ReplyStatus,
  absoluteForm,
  endToEnd,
  type HeaderField,
  type HeadRead,
  headText,
  parseFields,
  parseRequestHead,
  type ProxyRequest,
  readHead,
} from "./request-head.ts";
import { bindLives, endGently, HeldBytes, relay, relayAnswer, relayBody } from "./relay.ts";

/** The head of a server's answer. */
type ResponseHead =
  /** 1xx: another head follows. */
  | { readonly kind: "interim"; readonly status: number; readonly bytes: Buffer }
  | { readonly kind: "final"; readonly status: number; readonly bytes: Buffer }
  | { readonly kind: "bad"; readonly reason: string };

/**
 * The part of a server's head that is sent on: without the fields about its connection, and with one saying that the
 * client's connection ends with the response. A browser uses one connection to a proxy for many hosts; kept open, a
 * server could answer for others.
 */
export function parseResponseHead(text: string): ResponseHead {
  // Folded lines are obsolete and still sent: one line for the next reader (RFC 9112 section 5.2).
  const [first = "", ...lines] = text
    .trimEnd()
    .replaceAll(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/);
  const [, version, code] = /^HTTP\/(1\.[01]) ([1-5]\d\d)(?: |$)/.exec(first) ?? [];
  const fields = parseFields(lines);
  // oxlint-disable-next-line no-control-regex -- the pattern is for control characters
  if (version === undefined || fields === undefined || /[\u0000-\u001f\u007f]/.test(first)) {
    return { kind: "bad", reason: "its response is not HTTP" };
  }
  const status = Number(code);
  // Nobody asked for an upgrade; and a challenge for proxies must be this proxy's.
  if (status === 101 || status === 407) return { kind: "bad", reason: `it answered ${status}` };
  const kept = endToEnd(fields).filter(([name]) => name.toLowerCase() !== refusalHeader);
  if (status < 200) return { kind: "interim", status, bytes: headText(first, kept) };
  return { kind: "final", status, bytes: headText(first, [...kept, ["Connection", "close"]]) };
}

/** Browsers keep their cookies of one site within this. */
const requestHeadBytesMax = 16 * 1024;
/** A browser sends its head immediately; this is a local connection. */
const requestHeadMsMax = 10_000;
/** Common servers cut theirs at 8 to 32 KiB. */
const responseHeadBytesMax = 64 * 1024;
/** A server may think this long: pages themselves are waited for 30 s. */
const responseHeadMsMax = 60_000;
/** Interim answers before the answer; servers send one or two. */
const interimMax = 16;

/** The destinations that the shown page may reach. */
export interface PagePolicy {
  readonly allowance: Allowance;
  /** CONNECT goes to these ports only: anything can be said through it. */
  readonly connectPorts: ReadonlySet<number>;
}

/** The limits and rules of one proxy for its clients. */
export interface ProxyPolicy {
  readonly roads: Roads;
  /** Undefined while nobody has said which page is shown. */
  readonly page: () => PagePolicy | undefined;
  readonly isAuthorized: (fields: readonly HeaderField[]) => boolean;
  readonly onRefusal: (host: string, reason: string) => void;
}

type Forward = ProxyRequest & { readonly kind: "forward" };

/**
 * Serves the one request of a connection: a browser uses a connection to its proxy for many hosts, so each ends with
 * its answer and no server can have a say in another's. Never throws.
 */
export async function serveClient(
  client: Socket,
  policy: ProxyPolicy,
  signal: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  const wanted = AbortSignal.any([signal, gone.signal]);
  let asked: Destination | undefined;
  try {
    const limits = {
      bytesMax: requestHeadBytesMax,
      msMax: requestHeadMsMax,
      emptyLine: "strict",
    } as const;
    const read = await readHead(client, limits);
    if (read.kind !== "head") return endUnread(client, read.kind);
    const request = parseRequestHead(read.text);
    if (request.kind === "bad") return answer(client, request.status, request.reason);
    if (!policy.isAuthorized(request.fields)) {
      return answer(client, 407, "This proxy serves only the browser that it was created for.");
    }
    asked =
      request.kind === "connect"
        ? { host: request.host, port: request.port }
        : { host: hostOf(request.url), port: portOf(request.url) };
    const page = policy.page();
    if (page === undefined) {
      throw new AppError("refused", `Refused to connect to "${asked.host}": no page is shown yet.`);
    }
    const held = new HeldBytes(client, read.rest, () => gone.abort());
    const call = { client, to: asked, held, roads: policy.roads, page, signal: wanted };
    await (request.kind === "connect" ? serveConnect(call) : serveForward(call, request));
  } catch (error) {
    if (error instanceof AppError && error.code === "refused") {
      policy.onRefusal(asked?.host ?? "", error.message);
      return answer(client, 403, error.message);
    }
    answer(client, 502, error instanceof AppError ? error.message : messageOf(error));
  }
}

function endUnread(client: Socket, kind: Exclude<HeadRead["kind"], "head">): void {
  switch (kind) {
    case "closed":
      client.destroy();
      break;
    case "too_large":
      answer(client, 431, `The limit for request headers is ${requestHeadBytesMax} bytes.`);
      break;
    case "timeout":
      answer(client, 408, "The request headers did not arrive.");
      break;
  }
}

function answer(client: Socket, status: ReplyStatus, reason: string): void {
  if (client.writableEnded || client.bytesWritten > 0) client.destroy();
  else endGently(client, plainReply(status, reason));
}

/** A request that is allowed to ask. */
interface Call {
  readonly client: Socket;
  readonly to: Destination;
  /** The bytes behind its head. */
  readonly held: HeldBytes;
  readonly roads: Roads;
  readonly page: PagePolicy;
  readonly signal: AbortSignal;
}

async function serveConnect({ client, to, held, roads, page, signal }: Call): Promise<void> {
  if (!page.connectPorts.has(to.port)) {
    const open = [...page.connectPorts].join(", ");
    throw new AppError(
      "refused",
      `Refused to connect to "${to.host}" on port ${to.port}: for this page only the ports ${open} are open.`,
    );
  }
  const route = await routeTo("https:", to, hostAccessOf(to, page.allowance), roads, signal);
  const line = await dialTunnel(route, to, roads.resolve, signal);
  const first = held.release();
  if (client.destroyed || signal.aborted) return void line.socket.destroy();
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (line.first.length > 0) client.write(line.first);
  if (first.length > 0) line.socket.write(first);
  relay(client, line.socket, signal);
}

async function serveForward(
  { client, to, held, roads, page, signal }: Call,
  request: Forward,
): Promise<void> {
  const route = await routeTo("http:", to, hostAccessOf(to, page.allowance), roads, signal);
  const server =
    route.kind === "direct"
      ? (await dialFirst(to.host, route.addresses, to.port, signal)).socket
      : await dialProxy(route.proxy, roads.resolve, signal);
  const first = held.release();
  if (client.destroyed || signal.aborted) return void server.destroy();
  // Before anything is sent: from here on neither outlives the other.
  bindLives(client, server, signal);
  server.write(forwardedHead(request, route));
  relayBody(client, server, first, request.bodyBytes);
  await passAnswer(server, client, to.host);
}

function forwardedHead({ method, url, fields }: Forward, route: Route): Buffer {
  const target = route.kind === "direct" ? `${url.pathname}${url.search}` : absoluteForm(url);
  const kept = endToEnd(fields).filter(([name]) => name.toLowerCase() !== "host");
  return headText(`${method} ${target} HTTP/1.1`, [
    ["Host", url.host],
    ...kept,
    ...(route.kind === "direct" ? [] : proxyFields(route.proxy)),
    ["Connection", "close"],
  ]);
}

async function passAnswer(server: Socket, client: Socket, host: string): Promise<void> {
  const limits = {
    bytesMax: responseHeadBytesMax,
    msMax: responseHeadMsMax,
    emptyLine: "lenient",
  } as const;
  let before: Buffer | undefined;
  for (let count = 0; count <= interimMax; count++) {
    const read = await readHead(server, limits, before);
    if (client.destroyed) return;
    if (read.kind !== "head") return drop(server, client, host, unreadReasons[read.kind]);
    const head = parseResponseHead(read.text);
    if (head.kind === "bad") return drop(server, client, host, head.reason);
    client.write(head.bytes);
    before = read.rest;
    if (head.kind === "interim") continue;
    if (before.length > 0) client.write(before);
    return relayAnswer(server, client);
  }
  drop(server, client, host, "it sent only interim responses");
}

const unreadReasons = {
  closed: "the connection was closed before the answer",
  too_large: "its response headers are too large",
  timeout: `no answer within ${responseHeadMsMax} ms`,
} as const;

function drop(server: Socket, client: Socket, host: string, reason: string): void {
  answer(client, 502, `"${host}" sent no usable response: ${reason}.`);
  server.destroy();
}
