import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

import { AppError, systemCodeOf } from "../../base/errors.ts";
import { tokenFileBytesMax } from "../../base/limits.ts";
import { readTokenLines, type TokenLines } from "./token-list.ts";

/**
 * The tokens of a file and its problems. A file that others may read is not in order; a file of another kind has no tokens.
 * @throws AppError "system" when it cannot be read: then nothing is known of its tokens
 */
export function readTokenFile(path: string): TokenLines {
  const fd = openTokenFile(path);
  try {
    const stats = fstatSync(fd);
    const fault = kindFault(path, stats);
    if (fault !== undefined) return { tokens: [], fault };
    const lines = readTokenLines(readFileSync(fd, "utf8"), `the token file ${path}`);
    return { tokens: lines.tokens, fault: modeFault(path, stats) ?? lines.fault };
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    closeSync(fd);
  }
}

function openTokenFile(path: string): number {
  try {
    // Without waiting: a FIFO in its place must not hold the start up. Windows has no such flag.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): AppError {
  const code = systemCodeOf(error) ?? "unknown error";
  const text = `The token file ${path} cannot be read (${code}): check the path and the permissions.`;
  return new AppError("system", text, { cause: error });
}

function kindFault(path: string, stats: Stats): AppError | undefined {
  if (!stats.isFile())
    return new AppError("config", `The token file ${path} is not a regular file: name one.`);
  if (stats.size <= tokenFileBytesMax) return undefined;
  const text = `is larger than ${tokenFileBytesMax} bytes: it should hold a token a line.`;
  return new AppError("config", `The token file ${path} ${text}`);
}

function modeFault(path: string, stats: Stats): AppError | undefined {
  const mode = stats.mode & 0o777;
  // Windows has access lists instead; the mode says nothing there.
  if (process.platform === "win32" || (mode & 0o077) === 0) return undefined;
  const text = `is open to other users (mode ${mode.toString(8)}): run "chmod 600 ${path}".`;
  return new AppError("config", `The token file ${path} ${text}`);
}
