import { statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Why a file of the user's, which decides what is run, may say what another user of this machine wants; the words follow
 * "this file". Undefined where it cannot be known: Windows has no such bits. A folder that everybody may write to is usual in
 * containers: there only a file counts that is the user's, or root's.
 */
export function faultOfWriters(
  file: string,
  ownUid: number | undefined = process.getuid?.(),
): string | undefined {
  if (process.platform === "win32") return undefined;
  try {
    const { mode, uid } = statSync(file);
    if ((mode & everybodyWrites) !== 0) return "may be written by everybody: chmod o-w";
    if (uid === ownUid || uid === 0 || ownUid === undefined) return undefined;
    const isOpen = (statSync(dirname(file)).mode & everybodyWrites) !== 0;
    return isOpen ? "is of another user, in a folder that everybody may write to" : undefined;
  } catch {
    // Gone in between, or not to be looked at: whoever reads it next finds out.
    return undefined;
  }
}

const everybodyWrites = 0o002;
