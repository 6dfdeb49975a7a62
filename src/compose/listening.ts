import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";
import { httpIdleSMax, messageLineBytesMax } from "../base/limits.ts";
import type { HttpSettings } from "../cli/http-settings.ts";
import { decideListening } from "../server/auth/listen-policy.ts";
import type { HttpEndpoint } from "../server/http/http-endpoint.ts";
import { readTlsFiles, tlsFaultOf } from "./tls-files.ts";

/** @throws AppError "usage" for an address at which nobody may listen with these settings */
export function listenWarnings(settings: HttpSettings): readonly string[] {
  const { host, tokenFile, hasMadeTokens, keySetUrl, tlsKey } = settings;
  const decision = decideListening({
    host,
    hasTokens: tokenFile !== undefined || hasMadeTokens,
    hasKeySet: keySetUrl !== undefined,
    hasTls: tlsKey !== undefined,
  });
  if (decision.kind === "refused") throw new AppError("usage", decision.reason);
  return decision.warnings;
}

/** @throws AppError "system" or "config" with what to do next */
export function listen(
  { host, port, tlsCertificate, tlsKey }: HttpSettings,
  endpoint: HttpEndpoint,
  warn: (message: string) => void,
): Bun.Server<undefined> {
  const tls =
    tlsCertificate === undefined || tlsKey === undefined
      ? {}
      : { tls: readTlsFiles(tlsCertificate, tlsKey) };
  try {
    return Bun.serve({
      hostname: host,
      port,
      fetch: endpoint.fetch,
      maxRequestBodySize: messageLineBytesMax,
      idleTimeout: httpIdleSMax,
      development: false,
      // Otherwise a second server on this port would take half of the requests, and of no session all.
      reusePort: false,
      error: (error) => {
        warn(`internal error: ${messageOf(error)}`);
        return new Response("internal error\n", { status: 500 });
      },
      ...tls,
    });
  } catch (error) {
    const tlsFault = tlsFaultOf(error);
    if (tlsFault !== undefined) throw tlsFault;
    throw listenFault(`${host}:${port}`, error);
  }
}

/** Error codes of the system, each with its remedy. FLAG is the one that gave the address. */
const remedies: ReadonlyMap<string | undefined, string> = new Map([
  ["EADDRINUSE", "the port is in use. Choose another one with FLAG, or 0 for a free one."],
  [
    "EADDRNOTAVAIL",
    "this machine has no such address. Give one of its own with FLAG, such as 127.0.0.1.",
  ],
  [
    "EACCES",
    "the system does not allow it, mostly because the port is below 1024. Choose a higher one with FLAG.",
  ],
]);

/** Why a server cannot listen at the `address` of a flag. */
export function listenFault(address: string, error: unknown, flag = "--http"): AppError {
  const known = remedies.get(systemCodeOf(error))?.replace("FLAG", flag);
  const text = known ?? `${messageOf(error)}. Choose another address or port with ${flag}.`;
  return new AppError("system", `Cannot listen on ${address}: ${text}`, { cause: error });
}
