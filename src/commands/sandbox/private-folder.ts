import { chmod, lstat, mkdtemp, readdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import { privateFolderAgeMsMax } from "../../base/limits.ts";

const prefix = "scorpiox-tmp-";

/** Makes a folder that only this user can enter, for the temporary files of one command; a real path. @throws AppError `system` */
export async function makePrivateFolder(parent: string): Promise<string> {
  try {
    // `mkdtemp` gives mode 0700. The process id is for people, and for `sweepPrivateFolders`.
    return await realpath(await mkdtemp(join(parent, `${prefix}${process.pid}-`)));
  } catch (error) {
    const message = `Cannot create a folder for temporary files in ${parent}: ${messageOf(error)}. Set TMPDIR.`;
    throw new AppError("system", message, { cause: error });
  }
}

/** Removes the folder with all that is in it. Never rejects; what cannot be removed stays for the sweep. */
export async function removePrivateFolder(path: string): Promise<void> {
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true });
  try {
    await remove();
  } catch {
    // A folder without rights in it, which a command has left.
    await openUp(path);
    await remove().catch(() => undefined);
  }
}

/** Removes what servers that were killed have left: of this user, old, and of a process that is gone. */
export async function sweepPrivateFolders(
  parent: string,
  isAlive: (pid: number) => boolean,
): Promise<void> {
  const names = await readdir(parent).catch((): string[] => []);
  for (const name of names) {
    const pid = Number(/^scorpiox-tmp-(\d+)-/.exec(name)?.[1]);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const path = join(parent, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isDirectory() !== true || stats.uid !== process.getuid?.()) continue;
    if (Date.now() - stats.mtimeMs > privateFolderAgeMsMax) await removePrivateFolder(path);
  }
}

/** Gives rights to all folders in it. They are moved to its top one by one, since a path may be too long to be named. */
async function openUp(top: string): Promise<void> {
  await chmod(top, 0o700).catch(() => undefined);
  const folders = [top];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const { name } of entries.filter((entry) => entry.isDirectory())) {
      const place = join(top, `folder ${folders.length}`);
      await chmod(join(folder, name), 0o700).catch(() => undefined);
      await rename(join(folder, name), place).catch(() => undefined);
      folders.push(place);
    }
  }
}
