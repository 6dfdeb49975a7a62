import { statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Why another user of this machine may have written a file of the user's that grants permissions; the text follows "this file".
 * Undefined where it is unknown: Windows has no such bits. Folders that everybody may write to are usual in containers: there
 * only a file of the user or root is accepted.
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
    return isOpen
      ? "belongs to another user and is in a folder that everybody may write to"
      : undefined;
  } catch {
    // Gone in between, or not to be looked at: whoever reads it next finds out.
    return undefined;
  }
}

const everybodyWrites = 0o002;
