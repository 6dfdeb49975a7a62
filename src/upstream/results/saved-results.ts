import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { newResultId } from "../../base/result-id.ts";
import { FolderSweeps } from "../../base/sweep-folder.ts";

/** A file that holds what a result could not. */
export interface SavedResult {
  readonly path: string;
  /** `scorpiox://results/<id>`; undefined for bytes, which cannot be read as text. */
  readonly uri?: string;
  readonly name: string;
  readonly bytes: number;
}

/** Where what is too long for one client is kept. */
export interface ResultStore {
  /** Undefined when no folder can be written. */
  save(content: string | Uint8Array): Promise<SavedResult | undefined>;
}

/** Keeps what is too long in the private folder of saved outputs, and that within its size and age (CA14). */
export class SavedResults {
  readonly #folders: readonly string[];
  readonly #sweeps: FolderSweeps;

  /** @param folders a later one stands in when an earlier one cannot be written */
  constructor(folders: readonly string[], sweeps: FolderSweeps = new FolderSweeps()) {
    this.#folders = folders;
    this.#sweeps = sweeps;
  }

  /** For one client, who alone can read it. */
  of(clientId: string): ResultStore {
    return { save: (content) => this.#save(clientId, content) };
  }

  async #save(clientId: string, content: string | Uint8Array): Promise<SavedResult | undefined> {
    const id = newResultId(clientId);
    const name = typeof content === "string" ? `${id}.txt` : `${id}.bin`;
    for (const folder of this.#folders) {
      const path = join(folder, name);
      if (!(await writePrivate(folder, path, content))) continue;
      const bytes = typeof content === "string" ? Buffer.byteLength(content) : content.length;
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
): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const info = await lstat(folder);
    const isOurs = process.getuid === undefined || info.uid === process.getuid();
    if (!info.isDirectory() || !isOurs) return false;
    await writeFile(path, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch {
    // Full, read-only or not ours: the next folder, or none, which the result says.
    return false;
  }
}
