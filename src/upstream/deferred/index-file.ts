import { randomUUID } from "node:crypto";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { messageOf } from "../../base/errors.ts";
import { existingIndexFolder, indexFolderOf, makeIndexFolder } from "./index-folder.ts";
import { hasLivingOwner } from "./index-owner.ts";
import { indexJson, indexText, type IndexParts } from "./index-lines.ts";

const textName = "mcp-index.md";
const jsonName = "mcp-index.json";

export interface IndexFileParts extends IndexParts {
  /** Undefined where there is no project: then there is no index. */
  readonly projectDir: string | undefined;
  /** A tool is hidden; else the list of tools says all. */
  readonly isAnyHidden: boolean;
}

/**
 * The list of all callable tools as files of the project, for models that would rather grep than search (DF12).
 * Readers see the old file or the new one, never half of one.
 */
export class IndexFile {
  #latest: IndexFileParts | undefined;
  #work: Promise<string | undefined> | undefined;
  /** Where, and of what. */
  #written: { readonly dir: string; readonly parts: IndexFileParts } | undefined;
  #told: string | undefined;

  /** @param report told once for each reason why it could not be written */
  constructor(readonly report: (problem: string) => void) {}

  /**
   * Brings the files up to date. Calls that come while it writes are done together, the last one counts.
   * @returns the path of the text, or undefined when there is none. Never rejects.
   */
  update(parts: IndexFileParts): Promise<string | undefined> {
    this.#latest = parts;
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
    });
    return this.#work;
  }

  async #run(): Promise<string | undefined> {
    let path: string | undefined;
    for (let parts = this.#take(); parts !== undefined; parts = this.#take()) {
      path = await this.#bring(parts).catch((error: unknown) => {
        this.#tell(`The list of tools was not written: ${messageOf(error)}.`);
        return undefined;
      });
    }
    return path;
  }

  #tell(problem: string): void {
    if (problem !== this.#told) this.report(problem);
    this.#told = problem;
  }

  #take(): IndexFileParts | undefined {
    const parts = this.#latest;
    this.#latest = undefined;
    return parts;
  }

  async #bring(parts: IndexFileParts): Promise<string | undefined> {
    const { projectDir } = parts;
    const before = this.#written?.dir;
    if (before !== undefined && before !== projectDir) await this.#remove(before);
    if (projectDir === undefined) return undefined;
    if (!parts.isAnyHidden) {
      await this.#remove(projectDir);
      return undefined;
    }
    const path = join(indexFolderOf(projectDir), textName);
    if (isSame(this.#written?.parts, parts) && (await exists(path))) return path;
    const folder = await makeIndexFolder(projectDir);
    await replaceFile(join(folder, jsonName), indexJson(parts));
    await replaceFile(join(folder, textName), indexText(parts));
    this.#written = { dir: projectDir, parts };
    return path;
  }

  /** The folders stay: others may keep something in them. So does what another process needs. */
  async #remove(projectDir: string): Promise<void> {
    this.#written = undefined;
    const folder = await existingIndexFolder(projectDir);
    if (folder === undefined) return;
    if (await hasLivingOwner(join(folder, jsonName))) return;
    await rm(join(folder, textName), { force: true });
    await rm(join(folder, jsonName), { force: true });
  }
}

/** The array of tools is the same as long as no tool changes. */
function isSame(
  before: IndexFileParts | undefined,
  { tools, introductions }: IndexFileParts,
): boolean {
  const linesOf = (parts: IndexFileParts["introductions"]): string => JSON.stringify(parts);
  return before?.tools === tools && linesOf(before.introductions) === linesOf(introductions);
}

async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(draft, text.toWellFormed(), { flag: "wx", mode: 0o644 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
