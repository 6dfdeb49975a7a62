import { readFileSync } from "node:fs";

import { AppError, messageOf } from "../../../base/errors.ts";

/** The values of `?sslmode=`, as PostgreSQL's own clients call them. */
const tlsModes = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
type TlsMode = (typeof tlsModes)[number];

/** Where a PostgreSQL is, and as whom it is used. Crosses to the Worker as JSON. */
export interface PostgresPlace {
  /** For messages: without the password. */
  readonly name: string;
  readonly hostname: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly tlsMode: TlsMode;
  /** Certificates in PEM that vouch for the engine; absent: those that the program knows. */
  readonly authorities?: string;
}

const example = "postgres://USER:PASSWORD@HOST/DATABASE";
const defaultPort = 5432;

/**
 * Reads `STORE_URL`. No message has the password.
 * @throws AppError `config` for anything that is not understood, so that no wish is passed over
 */
export function readStoreUrl(text: string): PostgresPlace {
  const url = URL.parse(text.trim());
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw refusal(`it must be of the form ${example}`);
  }
  const database = decoded(url.pathname.slice(1), "database");
  const username = decoded(url.username, "user");
  const hostname = decoded(url.hostname, "host").replace(/^\[|\]$/g, "");
  for (const [part, value] of Object.entries({ host: hostname, user: username, database })) {
    if (value === "") throw refusal(`it names no ${part}: write ${example}`);
  }
  const port = url.port === "" ? defaultPort : Number(url.port);
  const tls = readParameters(url.searchParams);
  const name = `PostgreSQL at ${hostname}:${port} (database ${database})`;
  const password = decoded(url.password, "password");
  return { name, hostname, port, username, password, database, ...tls };
}

function readParameters(
  parameters: URLSearchParams,
): Pick<PostgresPlace, "tlsMode" | "authorities"> {
  for (const key of parameters.keys()) {
    if (key === "sslmode" || key === "sslrootcert") continue;
    throw refusal(`the parameter ${key} is not known: sslmode and sslrootcert are`);
  }
  const mode = parameters.get("sslmode") ?? "prefer";
  const tlsMode = tlsModes.find((known) => known === mode);
  if (tlsMode === undefined) {
    throw refusal(`sslmode=${mode} is not known: write ${tlsModes.join(", ")}`);
  }
  const path = parameters.get("sslrootcert");
  if (path === null) return { tlsMode };
  if (!tlsMode.startsWith("verify-")) {
    throw refusal(
      "sslrootcert needs sslmode=verify-full or verify-ca: others check no certificate",
    );
  }
  return { tlsMode, authorities: readCertificates(path) };
}

function readCertificates(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw refusal(`the file of sslrootcert cannot be read: ${messageOf(error)}`);
  }
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw refusal(`${path} of sslrootcert has no certificate in PEM`);
}

function decoded(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusal(`its ${part} has a % that begins no escape: write %25 for it`);
  }
}

function refusal(reason: string): AppError {
  return new AppError("config", `STORE_URL cannot be used: ${reason}.`);
}
