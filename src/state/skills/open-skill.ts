import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { skillFileBytesMax } from "../../base/limits.ts";
import { isInside } from "../../base/paths.ts";
import { builtInText } from "./built-in/built-in-skills.ts";
import type { Skill, SkillSource } from "./skill.ts";

/**
 * Looks again where the folder of a skill leads: it may have been changed since it was listed.
 * @param workspace the one that its set was made for
 * @throws AppError `refused`, `not_found`, `system`
 */
export async function placeOf(skill: Skill, workspace: string | undefined): Promise<string> {
  if (skill.folder === null) throw new AppError("not_found", `${skill.name} has no folder.`);
  const within = skill.origin === "project" ? workspace : undefined;
  const source = { dir: dirname(skill.folder), origin: "user", within } as const;
  try {
    return await realSkillFolder(source, skill.name);
  } catch (error) {
    if (error instanceof AppError) {
      throw new AppError("refused", `Cannot read the skill ${skill.name}: ${error.message}.`);
    }
    throw new AppError("not_found", `The skill ${skill.name} is gone: ${skill.folder}`, {
      cause: error,
    });
  }
}

/** The whole SKILL.md. @throws AppError as `placeOf`; `limit` when it is too long */
export async function readSkillText(skill: Skill, workspace: string | undefined): Promise<string> {
  if (skill.folder === null) return builtInText(skill.name) ?? "";
  const folder = await placeOf(skill, workspace);
  const { bytes, size } = await readInside(join(folder, "SKILL.md"), folder, skillFileBytesMax);
  if (size > skillFileBytesMax) {
    throw new AppError(
      "limit",
      `The SKILL.md of ${skill.name} has ${size} bytes; the limit is ${skillFileBytesMax}. Move a part of it to other files in the same folder.`,
    );
  }
  return new TextDecoder().decode(bytes);
}

interface FileInside {
  /** Bytes of the whole file. */
  readonly size: number;
  /** The whole file, or its first `bytesMax` bytes. */
  readonly bytes: Uint8Array;
}

/**
 * Reads the beginning of a regular file that is really below `folder`, wherever links lead. It is judged on the opened
 * descriptor, and opening never waits, for the other end of a FIFO for instance.
 * @param folder a real path
 * @throws AppError `not_found`, `refused` or `system`
 */
export async function readInside(
  path: string,
  folder: string,
  bytesMax: number,
): Promise<FileInside> {
  let handle: FileHandle | undefined;
  try {
    const real = await realpath(path);
    if (!isInside(real, folder)) {
      throw new AppError("refused", `${path} is a link that leads out of ${folder}.`);
    }
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
    handle = await open(real, flags);
    const opened = await openedPath(handle, real);
    if (opened === undefined || !isInside(opened, folder)) {
      throw new AppError("refused", `${path} now leads out of ${folder}.`);
    }
    const stats = await handle.stat();
    assertRegular(path, stats);
    return { size: stats.size, bytes: await readStart(handle, Math.min(stats.size, bytesMax)) };
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(path, error);
  } finally {
    await handle?.close();
  }
}

function assertRegular(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new AppError("refused", `${path} is not a regular file.`);
}

/** Reads `length` bytes, or fewer when the file has shrunk in the meantime. */
async function readStart(handle: FileHandle, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function unreadable(path: string, cause: unknown): AppError {
  const code = systemCodeOf(cause);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new AppError("not_found", `${path} does not exist.`, { cause });
  }
  // O_NOFOLLOW: a link has taken the file's place in the meantime. Sockets and devices without a driver: ENXIO.
  if (code === "ELOOP" || code === "ENXIO") {
    return new AppError("refused", `${path} is not a regular file.`, { cause });
  }
  return new AppError("system", `${path} could not be read: ${code ?? messageOf(cause)}.`, {
    cause,
  });
}

/**
 * The real path of a file that was opened at `path`; undefined when it is uncertain. A folder on the way may have
 * become a link between the moment that `path` was resolved and the moment that it was opened.
 * @param path a real path
 */
export async function openedPath(handle: FileHandle, path: string): Promise<string | undefined> {
  try {
    // Linux says it of the descriptor itself.
    if (process.platform === "linux") return await readlink(`/proc/self/fd/${handle.fd}`);
  } catch {
    // Without /proc it is found out as elsewhere.
  }
  const real = await realpath(path);
  const [there, opened] = await Promise.all([lstat(real), handle.stat()]);
  return there.ino === opened.ino && there.dev === opened.dev ? real : undefined;
}

/** The real path of a source's folder. @throws AppError `refused` when it leads out of its workspace */
export async function realSourceDir({ dir, within }: SkillSource): Promise<string> {
  const real = await realpath(dir);
  if (within !== undefined && !isInside(real, await realpath(within))) {
    throw new AppError("refused", "it is a link that leads out of the workspace");
  }
  return real;
}

/**
 * The real path of the folder of one skill. In a workspace nothing leads out of it; among the user's own skills
 * links may lead to folders that the same user, or root, owns.
 * @throws AppError `refused` with the reason; errors of the file system
 */
export async function realSkillFolder(source: SkillSource, name: string): Promise<string> {
  const path = join(source.dir, name);
  const isLink = (await lstat(path)).isSymbolicLink();
  const real = await realpath(path);
  if (source.within !== undefined) {
    if (isInside(real, await realpath(source.within))) return real;
    throw new AppError("refused", "it is a link that leads out of the workspace");
  }
  if (isLink && !isTrustedOwner((await stat(real)).uid)) {
    throw new AppError("refused", "it is a link to a folder of another user");
  }
  return real;
}

/** Windows has no user ids: there only the rights of the file system apply. */
function isTrustedOwner(uid: number): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0;
}
