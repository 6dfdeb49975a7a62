import { dirname } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";

/** The code of the error for a file whose schema this version does not know. */
export const newerVersionCode = "SCORPIOX_NEWER";

/** True when the file is no longer a database, or is inconsistent. */
export function isDamage(error: unknown): boolean {
  const code = String(systemCodeOf(error));
  return code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT");
}

/** True when another process holds a lock that is needed, or that made opening fail. */
export function isBusy(error: unknown): boolean {
  if (error instanceof AppError) return isBusy(error.cause);
  return /^SQLITE_(BUSY|LOCKED)/.test(String(systemCodeOf(error)));
}

/**
 * The error for a file that cannot be used: the event, the file, and the next step.
 * @param outcome of the change, as a sentence; empty without a change
 */
export function storeError(path: string, cause: unknown, outcome = ""): AppError {
  if (cause instanceof AppError) return cause;
  const parts = [`${path} cannot be used: ${messageOf(cause)}.`, outcome, remedyOf(path, cause)];
  return new AppError("system", parts.filter(Boolean).join(" "), { cause });
}

const changeFolder = "or set SCORPIOX_HOME to another folder";

function remedyOf(path: string, cause: unknown): string {
  const code = String(systemCodeOf(cause));
  if (code === "EEXIST" || code === "ENOTDIR") {
    return `${dirname(path)} must be a folder: move the file in its place away, ${changeFolder}.`;
  }
  if (code === newerVersionCode) {
    return `Update scorpiox-code and restart the server, ${changeFolder}.`;
  }
  if (isBusy(cause))
    return "Another process has been writing to it for a long time: try again later.";
  if (code === "SQLITE_FULL" || code === "ENOSPC" || code === "EDQUOT") {
    return `The disk is full: free space and try again, ${changeFolder}.`;
  }
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM)|EROFS|EACCES|EPERM)/.test(code)) {
    return `Make the folder and the file writable for this user, ${changeFolder}.`;
  }
  if (code.startsWith("SQLITE_IOERR")) return `The disk reports errors: check it, ${changeFolder}.`;
  return `Make the folder writable, free space, ${changeFolder}.`;
}
