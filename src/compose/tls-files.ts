import { readFileSync } from "node:fs";

import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";

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
