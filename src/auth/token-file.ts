import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from "node:fs";

import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";
import { tokenFileBytesMax, tokenFileLookMs } from "../base/limits.ts";
import { type Clock, systemClock } from "./clock.ts";
import { type KnownToken, parseTokenList } from "./token-list.ts";

/**
 * The file of `--token-file` (its format: `token-list.ts`). Changes count within a second, without a restart;
 * a file that became unusable is reported once and the tokens read before stay valid.
 */
export class TokenFile {
  #tokens: readonly KnownToken[];
  /** What the file looked like when it was read last, usable or not. */
  #version: string | undefined;
  #lookAtMs: number;

  /** @throws AppError "config" or "system" when the file cannot be used */
  constructor(
    readonly path: string,
    private readonly warn: (message: string) => void,
    private readonly clock: Clock = systemClock,
  ) {
    this.#version = versionOf(path);
    this.#tokens = readTokenFile(path);
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
    const version = versionOf(this.path);
    if (version === this.#version) return;
    // Taken before reading: a change in between is seen at the next look.
    this.#version = version;
    try {
      this.#tokens = readTokenFile(this.path);
    } catch (error) {
      this.warn(`${messageOf(error)} Until then the tokens read before stay valid.`);
    }
  }
}

/** Changes with the content, the permissions and the file itself; undefined while there is none. */
function versionOf(path: string): string | undefined {
  try {
    const { dev, ino, mode, size, mtimeMs, ctimeMs } = statSync(path);
    return `${dev} ${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return undefined;
  }
}

/**
 * Reads a token file that nobody but its owner may read.
 * @throws AppError "config" or "system" with what to do next; no word of the file is in it
 */
export function readTokenFile(path: string): KnownToken[] {
  const fd = openTokenFile(path);
  try {
    const fault = faultOf(fstatSync(fd));
    if (fault !== undefined) throw new AppError("config", `The token file ${path} ${fault(path)}`);
    return parseTokenList(readFileSync(fd, "utf8"), `the token file ${path}`);
  } finally {
    closeSync(fd);
  }
}

function openTokenFile(path: string): number {
  try {
    // Without waiting: a FIFO in its place must not hold the start up. Windows has no such flag.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = systemCodeOf(error) ?? "unknown error";
    const text = `The token file ${path} cannot be read (${code}): check the path and the permissions.`;
    throw new AppError("system", text, { cause: error });
  }
}

/** What is wrong with the opened file, as the rest of a sentence. */
function faultOf(stats: Stats): ((path: string) => string) | undefined {
  if (!stats.isFile()) return () => "is not a regular file: name one.";
  if (stats.size > tokenFileBytesMax)
    return () => `is larger than ${tokenFileBytesMax} bytes: it should hold a token a line.`;
  const mode = stats.mode & 0o777;
  // Windows has access lists instead; the mode says nothing there.
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    return (path) => `is open to other users (mode ${mode.toString(8)}): run "chmod 600 ${path}".`;
  return undefined;
}
