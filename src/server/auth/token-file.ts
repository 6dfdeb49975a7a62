import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { tokenFileBytesMax, tokenFileLookMs } from "../../base/limits.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type KnownToken, readTokenLines, type TokenLines } from "./static-tokens.ts";

/**
 * The file of `--token-file` (its format: `token-list.ts`). Changes count within a second, without a restart, and
 * a token that was taken out is refused whatever else is wrong with the file: a file that is not in order, or gone,
 * adds nothing but takes away. Only while it cannot be read do the tokens read before stay valid.
 */
export class TokenFile {
  #tokens: readonly KnownToken[];
  /** The file's size and times when it was last read. */
  #version: string;
  #lookAtMs: number;
  /** Said last, so that it is said once. */
  #warning: string | undefined;

  /** @throws AppError "config" or "system" when the file cannot be used as it is */
  constructor(
    readonly path: string,
    private readonly warn: (message: string) => void,
    private readonly clock: Clock = systemClock,
  ) {
    this.#version = versionOf(path);
    const { tokens, fault } = readTokenFile(path);
    if (fault !== undefined) throw fault;
    this.#tokens = tokens;
    this.#lookAtMs = clock.monotonicMs() + tokenFileLookMs;
  }

  /** The tokens as of now. The same array as long as they are the same. Never throws. */
  current(): readonly KnownToken[] {
    const nowMs = this.clock.monotonicMs();
    if (nowMs >= this.#lookAtMs) {
      this.#lookAtMs = nowMs + tokenFileLookMs;
      this.#look();
    }
    return this.#tokens;
  }

  #look(): void {
    // Taken before reading: a change in between is seen at the next look.
    const version = versionOf(this.path);
    if (version === this.#version) return;
    try {
      this.#take(readAgain(this.path));
      this.#version = version;
    } catch (error) {
      // Nothing is known of the new version: it is tried again at the next look.
      this.#warnOnce(`${messageOf(error)} Until then the tokens read before stay valid.`);
    }
  }

  #take({ tokens, fault }: TokenLines): void {
    this.#tokens = fault === undefined ? tokens : knownBefore(tokens, this.#tokens);
    if (fault === undefined) this.#warning = undefined;
    else this.#warnOnce(`${fault.message} ${remainder(this.#tokens)}`);
  }

  #warnOnce(message: string): void {
    if (message === this.#warning) return;
    this.#warning = message;
    this.warn(message);
  }
}

/** A file that is gone has no tokens. */
function readAgain(path: string): TokenLines {
  try {
    return readTokenFile(path);
  } catch (error) {
    if (error instanceof AppError && isGone(error.cause)) return { tokens: [], fault: error };
    throw error;
  }
}

function isGone(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** The `tokens` that were known before, with what their lines say now. */
function knownBefore(tokens: readonly KnownToken[], before: readonly KnownToken[]): KnownToken[] {
  const digests = new Set(before.map(({ digest }) => digest.toString()));
  return tokens.filter(({ digest }) => digests.has(digest.toString()));
}

function remainder(tokens: readonly KnownToken[]): string {
  return tokens.length === 0
    ? "Until then none of its tokens is accepted."
    : "Until then only tokens are accepted that were read before and are still in it.";
}

/** Changes with the content, the permissions and the file itself. */
function versionOf(path: string): string {
  try {
    const { dev, ino, mode, size, mtimeMs, ctimeMs } = statSync(path);
    return `${dev} ${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    return systemCodeOf(error) ?? "unknown";
  }
}

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
