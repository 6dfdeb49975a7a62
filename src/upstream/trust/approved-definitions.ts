import { mkdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { definitionFileBytesMax } from "../../base/upstream-limits.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { removeLeftDrafts, replaceFile } from "../../config/replace-file.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";

/** What is behind hashes, by hash. */
export type Definitions = ReadonlyMap<string, Params>;

/**
 * What was approved, word for word: one file for each launch. Only shown to people; what may be called is decided by the
 * hashes in `trust.json`, and a file that is lost or was changed costs a difference that cannot be shown.
 */
export class ApprovedDefinitions {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Never rejects. */
  async read(identity: string): Promise<Definitions> {
    try {
      const file = this.#fileOf(identity);
      const stats = await stat(file);
      if (!stats.isFile() || stats.size > definitionFileBytesMax) return new Map();
      const value: unknown = JSON.parse(await readFile(file, "utf8"));
      if (!isObject(value)) return new Map();
      return new Map(
        Object.entries(value).filter((pair): pair is [string, Params] => isObject(pair[1])),
      );
    } catch {
      return new Map();
    }
  }

  /** The oldest are left out when all of them are too much. Never rejects. */
  async add(identity: string, definitions: Definitions): Promise<void> {
    if (definitions.size === 0) return;
    const file = this.#fileOf(identity);
    try {
      await withFileLock(file, async () => {
        const all = new Map([...(await this.read(identity)), ...definitions]);
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        removeLeftDrafts(file);
        replaceFile(file, textOf(all));
      });
    } catch {
      // A full disk or a folder of somebody else: approving does not depend on it.
    }
  }

  #fileOf(identity: string): string {
    return join(this.#folder, `${identity.replaceAll(/[^0-9a-z]/gi, "_")}.json`);
  }
}

function textOf(definitions: Definitions): string {
  const rows: string[] = [];
  // Braces and the newline.
  let bytes = 4;
  for (const [hash, definition] of [...definitions].toReversed()) {
    const row = `${JSON.stringify(hash)}:${JSON.stringify(definition)}`;
    bytes += Buffer.byteLength(row) + 2;
    if (bytes > definitionFileBytesMax) break;
    rows.unshift(row);
  }
  return `{${rows.join(",\n")}}\n`;
}
