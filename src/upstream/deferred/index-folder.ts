import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { systemCodeOf } from "../../base/errors.ts";

const folders = [".scorpiox", "context", "tools"] as const;

/** Where the index of a project is; it need not exist. */
export function indexFolderOf(projectDir: string): string {
  return join(projectDir, ...folders);
}

/** The folder of the index when it is there, and no link. */
export async function existingIndexFolder(projectDir: string): Promise<string | undefined> {
  const folder = indexFolderOf(await realpath(projectDir).catch(() => projectDir));
  const real = await realpath(folder).catch(() => undefined);
  return real !== undefined && relative(real, folder) === "" ? folder : undefined;
}

/**
 * Makes the folder of the index in a project, with a `.gitignore` that keeps all of it out of version control.
 * Rejects when it cannot be made, or when a link in the project leads elsewhere: what others have put there must not
 * decide where we write.
 */
export async function makeIndexFolder(projectDir: string): Promise<string> {
  let folder = await realpath(projectDir);
  for (const name of folders) {
    folder = join(folder, name);
    await mkdir(folder).catch(ignoreExisting);
    const real = await realpath(folder);
    if (relative(real, folder) !== "") throw new Error(`${folder} is a link to ${real}`);
    if (name === "context") {
      await writeFile(join(folder, ".gitignore"), "*\n", { flag: "wx" }).catch(ignoreExisting);
    }
  }
  return folder;
}

function ignoreExisting(error: unknown): void {
  if (systemCodeOf(error) !== "EEXIST") throw error;
}
