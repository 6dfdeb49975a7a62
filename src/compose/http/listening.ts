import { readFileSync } from "node:fs";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { httpIdleSMax, messageLineBytesMax } from "../../base/limits.ts";
import type { HttpSettings } from "../../cli/http-settings.ts";
import { takeSecret } from "../../config/take-secret.ts";
import { parseResource } from "../../server/auth/create-auth.ts";
import { decideListening, isLoopbackHost } from "../../server/auth/listen-policy.ts";
import type { HttpEndpoint } from "../../server/http/http-endpoint.ts";
import type { PostgresPlace } from "../../state/store/postgres/store-url.ts";
import type { UserLoginsOptions } from "../../upstream/worker/upstream-options.ts";
import type { ApplicationOptions } from "../program-parts.ts";

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

/** The key and certificate for TLS, in PEM. */
interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** @throws AppError "system" for a file that cannot be read, "config" for one of another kind */
export function readTlsFiles(certificatePath: string, keyPath: string): TlsFiles {
  return {
    cert: readPem(certificatePath, "--tls-cert", "CERTIFICATE"),
    key: readPem(keyPath, "--tls-key", "PRIVATE KEY"),
  };
}

function readPem(path: string, flag: string, label: string): string {
  const text = readText(path, flag);
  // There are kinds of each, such as EC PRIVATE KEY.
  if (new RegExp(`^-----BEGIN (?:[A-Z0-9]+ )*${label}-----`, "m").test(text)) return text;
  const wanted = label.toLowerCase();
  throw new AppError(
    "config",
    `The file ${path} of ${flag} has no ${wanted} in PEM: give one that has a line "-----BEGIN ${label}-----".`,
  );
}

function readText(path: string, flag: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("system", `The file of ${flag} cannot be read: ${messageOf(error)}.`);
  }
}

/** The fault of the files, when listening failed because of them; undefined for another failure. */
export function tlsFaultOf(error: unknown): AppError | undefined {
  const code = systemCodeOf(error) ?? "";
  if (!code.startsWith("ERR_OSSL_")) return undefined;
  return new AppError("config", `--tls-cert and --tls-key cannot be used: ${reasonOf(code)}`, {
    cause: error,
  });
}

function reasonOf(code: string): string {
  if (code.includes("KEY_VALUES_MISMATCH"))
    return "the key is not that of the certificate. Give the two that were made together.";
  if (code.includes("DECRYPT") || code.includes("PASSWORD"))
    return "the key has a passphrase. Give it without one.";
  return `a file is damaged (${code}). Give a certificate and its key in PEM.`;
}

/** The addresses of a server over HTTP, which are known once it listens: before its first request. */
export class OwnAddresses {
  readonly #settings: HttpSettings;
  readonly #listensAt: () => URL | undefined;
  readonly #engine: PostgresPlace | undefined;

  /**
   * @param engine keeps the logins of principals; undefined: files of this machine
   * @param listensAt undefined before it listens
   */
  constructor(
    settings: HttpSettings,
    engine: PostgresPlace | undefined,
    listensAt: () => URL | undefined,
  ) {
    this.#settings = settings;
    this.#engine = engine;
    this.#listensAt = listensAt;
  }

  /** For the part that runs upstream servers. */
  get forServers(): Pick<ApplicationOptions, "ownUrl" | "userLogins"> {
    return {
      ownUrl: () => {
        const url = this.#listensAt();
        return url === undefined ? undefined : new URL(this.#settings.path, url).href;
      },
      userLogins: () => this.#userLogins(),
    };
  }

  /** The origin at which browsers reach this server; undefined when only the operator could know. */
  get origin(): string | undefined {
    const { resource, host } = this.#settings;
    if (resource !== undefined) return new URL(parseResource(resource)).origin;
    return isLoopbackHost(host) ? this.#listensAt()?.origin : undefined;
  }

  /** For logins of principals. A key that cannot be read is reported by an entry that wants it. */
  #userLogins(): UserLoginsOptions {
    const { origin } = this;
    try {
      return { origin, engine: this.#engine, keys: takeSecret("SECRETS_KEY") };
    } catch (error) {
      return { origin, fault: messageOf(error) };
    }
  }
}
