import { stat } from "node:fs/promises";

import { fileLookMs } from "../../base/limits.ts";

interface Watched {
  /** What the file looked like when it was last seen; undefined = before the first look. */
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

  /** Returns what ends it. */
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
  const now = await appearance(watched.path);
  watched.seen = now;
  if (before !== undefined && before !== now && isWanted()) watched.tell();
}

async function appearance(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return [ino, size, mtimeMs, ctimeMs].join();
  } catch {
    return "none";
  }
}
