import { lstat, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { isInside } from "../../base/is-inside.ts";
import type { SkillSource } from "./skill-sources.ts";

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
