import { type Stats, statSync } from "node:fs";
import { stat } from "node:fs/promises";

/** The outside of a file as a text, which is another one once it was written, replaced, made or removed. */
export async function appearanceOf(file: string): Promise<string> {
  try {
    return textOf(await stat(file));
  } catch {
    return absent;
  }
}

/** As `appearanceOf`, at once: for a handful of files. */
export function appearanceNow(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? absent : textOf(stats);
  } catch {
    return absent;
  }
}

const absent = "none";

function textOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].join();
}
