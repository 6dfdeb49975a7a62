import { lstat, readlink, realpath } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";

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
