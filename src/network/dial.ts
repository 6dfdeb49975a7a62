import { connect, type Socket } from "node:net";

import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";
import { cancelled } from "./judge-host.ts";

/** The next address is tried when the one before has not answered by then (RFC 8305 recommends 250 ms). */
const nextAddressMs = 250;
/** No address has answered by then: the host is down. Systems themselves try for one to two minutes. */
const connectMsMax = 10_000;
/** The most addresses that are tried; if these are down, so are the others of the host. */
const addressesTriedMax = 8;

export interface Dialled {
  readonly socket: Socket;
  readonly address: string;
}

/**
 * Connects to the first of `addresses` that answers. They are tried in order, each a little after the one before, or as
 * soon as that one fails; connections that come too late are closed.
 * @throws AppError `system` when none answers, `cancelled`
 */
export function dialFirst(
  host: string,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
  open: (address: string, port: number) => Socket = openSocket,
): Promise<Dialled> {
  return new Promise((resolve, reject) => {
    const waiting = addresses.slice(0, addressesTriedMax);
    const trying = new Set<Socket>();
    let last: unknown;
    let next: ReturnType<typeof setTimeout> | undefined;
    const settle = (winner?: Socket): void => {
      clearTimeout(next);
      clearTimeout(deadline);
      signal.removeEventListener("abort", onAbort);
      waiting.length = 0;
      if (winner !== undefined) trying.delete(winner);
      for (const socket of trying) socket.destroy();
    };
    const fail = (error: AppError): void => {
      settle();
      reject(error);
    };
    const onAbort = (): void => fail(cancelled(signal));
    const deadline = setTimeout(
      () => fail(unreached(host, port, `no answer within ${connectMsMax} ms`)),
      connectMsMax,
    );
    signal.addEventListener("abort", onAbort, { once: true });
    const tryNext = (): void => {
      clearTimeout(next);
      const address = waiting.shift();
      if (address === undefined) {
        if (trying.size === 0) fail(unreached(host, port, causeOf(last), last));
        return;
      }
      const socket = open(address, port);
      trying.add(socket);
      socket.once("connect", () => {
        socket.removeListener("error", onError);
        settle(socket);
        resolve({ socket, address });
      });
      const onError = (error: unknown): void => {
        last = error;
        if (trying.delete(socket)) tryNext();
      };
      socket.once("error", onError);
      // An abandoned socket may still fail; nobody handles that.
      socket.on("error", () => undefined);
      if (waiting.length > 0) next = setTimeout(tryNext, nextAddressMs);
    };
    if (signal.aborted) onAbort();
    else tryNext();
  });
}

function openSocket(address: string, port: number): Socket {
  return connect({ host: address, port, allowHalfOpen: true });
}

function causeOf(error: unknown): string {
  const code = systemCodeOf(error);
  if (code === "ECONNREFUSED") return "the connection was refused";
  return error === undefined ? "it has no usable address" : (code ?? messageOf(error));
}

export function unreached(host: string, port: number, reason: string, cause?: unknown): AppError {
  return new AppError("system", `Cannot connect to "${host}" on port ${port}: ${reason}.`, {
    cause,
  });
}

/** Bun's error codes for failures that a reader can do something about. */
const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ConnectionRefused: "the connection was refused",
  ECONNRESET: "the connection was closed before the answer",
  ConnectionClosed: "the connection was closed before the answer",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an untrusted authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an untrusted authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an untrusted authority",
  ERR_PROXY_TUNNEL: "the proxy refused to connect (check its address and its credentials)",
  ResponseHeadersTooLarge: "its response headers are too large",
  Malformed_HTTP_Response: "its response is not HTTP",
};

/** The cause of a failed request, as the end of "…: ". */
export function fetchFailure(error: unknown): string {
  const code = systemCodeOf(error);
  const known = code === undefined ? undefined : causes[code];
  // Bun's messages contain the dialled URL, which lacks the host name and could contain a credential.
  return known ?? code ?? messageOf(error).split(/\s(?:fetching|https?:\/\/)/)[0] ?? "no answer";
}
