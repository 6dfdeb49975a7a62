import { open, realpath } from "node:fs/promises";
import { constants } from "node:fs";

import { resourceFileBytesMax } from "../../base/limits.ts";
import { isStoreFile } from "../../base/store-files.ts";
import { isBelow } from "../../base/is-inside.ts";
import { openedPath } from "../../state/skills/opened-file.ts";

/** The real path of `path` when that lies inside one of `roots`; undefined for all else, whether it is there or not. */
export async function realPathInside(
  path: string,
  roots: readonly string[],
): Promise<string | undefined> {
  const [real, ...realRoots] = await Promise.all([path, ...roots].map(realOrNone));
  if (real === undefined) return undefined;
  const isInside = realRoots.some((root) => root !== undefined && isBelow(real, root));
  return isInside ? real : undefined;
}

export type FileContents =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly bytes: Uint8Array }
  | { readonly kind: "too_large"; readonly size: number };

/**
 * The bytes of a regular file; undefined when it is none or cannot be read. Judged on the opened file, and opening
 * never waits for the other end of a FIFO. `path` is a real path: where a link that came since has led is not read.
 */
export async function readWholeFile(path: string): Promise<FileContents | undefined> {
  if (isStoreFile(path)) return undefined;
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    await using file = await open(path, flags);
    const stats = await file.stat();
    if (!stats.isFile() || (await openedPath(file, path)) !== path) return undefined;
    if (stats.size > resourceFileBytesMax) return { kind: "too_large", size: stats.size };
    // A file that grows meanwhile is cut where it was.
    const bytes = new Uint8Array(stats.size);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return contentsOf(bytes.subarray(0, bytesRead));
  } catch {
    return undefined;
  }
}

function contentsOf(bytes: Uint8Array): FileContents {
  if (bytes.includes(0)) return { kind: "binary", bytes };
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { kind: "binary", bytes };
  }
}

async function realOrNone(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
}
