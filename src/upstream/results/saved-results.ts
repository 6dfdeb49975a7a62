import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FolderSweeps, hasDiskFor } from "../../base/disk-space.ts";
import { newResultId } from "../../base/digests.ts";
import type { UpstreamCallEvents } from "../upstreams.ts";

/** A file with the content that was too long for a result. */
export interface SavedResult {
  readonly path: string;
  /** `scorpiox://results/<id>`; undefined for bytes, which cannot be read as text. */
  readonly uri?: string;
  readonly name: string;
  readonly bytes: number;
  /** The background task through which the client reads the rest. */
  readonly taskId?: number | undefined;
}

/** Keeps content that is too long for one client. */
export interface ResultStore {
  /** Saves the content; undefined when no folder can be written. */
  save(content: string | Uint8Array): Promise<SavedResult | undefined>;
  /** Saves a text that was shown up to byte `from`, where the client can continue to read. */
  saveCut(text: string, from: number): Promise<SavedResult | undefined>;
}

/**
 * Keeps long content in the private folder of saved outputs, and the folder within its bounds of size and age (CA14).
 */
export class SavedResults {
  readonly #folders: readonly string[];
  readonly #sweeps: FolderSweeps;

  /** @param folders the first that can be written is used */
  constructor(folders: readonly string[], sweeps: FolderSweeps = new FolderSweeps()) {
    this.#folders = folders;
    this.#sweeps = sweeps;
  }

  /**
   * The store for one client; only that client can read its results. @param events its `keep` registers a cut text and
   * returns the background task through which the client reads the rest
   */
  of(clientId: string, events: Pick<UpstreamCallEvents, "keep"> = {}): ResultStore {
    return {
      save: (content) => this.#save(newResultId(clientId), content),
      saveCut: async (text, from) => {
        const resultId = newResultId(clientId);
        const saved = await this.#save(resultId, text);
        if (saved === undefined) return undefined;
        const { path, bytes } = saved;
        return { ...saved, taskId: await events.keep?.({ resultId, path, from, bytes }) };
      },
    };
  }

  async #save(id: string, content: string | Uint8Array): Promise<SavedResult | undefined> {
    const name = typeof content === "string" ? `${id}.txt` : `${id}.bin`;
    const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
    for (const folder of this.#folders) {
      const path = join(folder, name);
      if (!(await writePrivate(folder, path, content, bytes))) continue;
      void this.#sweeps.onSaved(folder, bytes);
      const uri = typeof content === "string" ? { uri: `scorpiox://results/${id}` } : {};
      return { path, name, bytes, ...uri };
    }
    return undefined;
  }
}

async function writePrivate(
  folder: string,
  path: string,
  content: string | Uint8Array,
  bytes: number,
): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const info = await lstat(folder);
    const isOurs = process.getuid === undefined || info.uid === process.getuid();
    if (!info.isDirectory() || !isOurs || !hasDiskFor(folder, bytes)) return false;
    await writeFile(path, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch {
    // Full, read-only or another user's: try the next folder. Without any, the result says so.
    return false;
  }
}
