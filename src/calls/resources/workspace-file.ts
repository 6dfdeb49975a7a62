import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";

import { appearanceOf } from "../../base/file-appearance.ts";
import { fileLookMs, resourceFileBytesMax } from "../../base/limits.ts";
import { isBelow } from "../../base/paths.ts";
import { isStoreFile } from "../../base/own-files.ts";
import { openedPath } from "../../state/skills/open-skill.ts";

/** The real path of `path` when that is inside one of `roots`; otherwise undefined, whether the file exists or not. */
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
 * The bytes of a regular file; undefined when it is not one or cannot be read. Judged on the opened file, and opening
 * never waits for the other end of a FIFO. `path` is a real path: a link that replaced it since is not followed.
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

interface Watched {
  /** The file's facts when it was last seen; undefined = before the first look. */
  seen: string | undefined;
  readonly path: string;
  readonly tell: () => void;
}

/**
 * Looks at files once a second and tells when one has changed, came or went. Looking works on every system and file
 * system, and a file that is replaced is noticed like one that is written to.
 */
export class FileWatch {
  readonly #watched = new Set<Watched>();
  readonly #everyMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isLooking = false;

  constructor(everyMs: number = fileLookMs) {
    this.#everyMs = everyMs;
  }

  /** Returns a function that ends it. */
  watch(path: string, tell: () => void): () => void {
    const watched: Watched = { seen: undefined, path, tell };
    this.#watched.add(watched);
    void look(watched);
    this.#timer ??= setInterval(() => void this.#lookAtAll(), this.#everyMs).unref();
    return () => {
      this.#watched.delete(watched);
      if (this.#watched.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  async #lookAtAll(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const watched of this.#watched) await look(watched, () => this.#watched.has(watched));
    this.#isLooking = false;
  }
}

async function look(watched: Watched, isWanted = (): boolean => true): Promise<void> {
  const before = watched.seen;
  const now = await appearanceOf(watched.path);
  watched.seen = now;
  if (before !== undefined && before !== now && isWanted()) watched.tell();
}
