import { createHash } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { AppError, messageOf } from "../../../base/errors.ts";
import { faultOfWriters } from "../../../config/written-by-others.ts";
import { makePrivateFile } from "./private-file.ts";

/** SHA-256 of the content of each approved hook, by its key. */
export type ApprovedDigests = ReadonlyMap<string, string>;

/**
 * Which hooks of a project its user has approved: by content, in a file of the user's for each project. A project
 * that is moved, or a hook that is changed or renamed, has to be approved again.
 */
export class HookApprovals {
  readonly #approvalsDir: string;
  readonly #projectDir: string;

  /** @param scorpioxDir `~/.scorpiox` */
  constructor(scorpioxDir: string, projectDir: string) {
    this.#approvalsDir = join(scorpioxDir, "approved-hooks");
    this.#projectDir = projectDir;
  }

  /** None where there is no file, or one that cannot be used: then nothing counts as approved. */
  async read(): Promise<ApprovedDigests> {
    try {
      const file = await this.#file();
      return faultOfWriters(file) === undefined
        ? parseApprovals(await readFile(file, "utf8"))
        : new Map();
    } catch {
      return new Map();
    }
  }

  /** Replaces what was approved before. @throws AppError `system` */
  async write(digests: ApprovedDigests): Promise<void> {
    const file = await this.#file();
    try {
      if (digests.size === 0) return await rm(file, { force: true });
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const project = await realpath(this.#projectDir);
      const text = JSON.stringify({ project, hooks: Object.fromEntries(digests) }, undefined, 2);
      // Renamed into its place, so that a reader sees all of it.
      const shape = { extension: ".json.new", mode: 0o600 };
      await using fresh = await makePrivateFile(dirname(file), `${text}\n`, shape);
      await rename(fresh.path, file);
    } catch (error) {
      throw new AppError("system", `${file} cannot be written: ${messageOf(error)}.`);
    }
  }

  async #file(): Promise<string> {
    const project = await realpath(this.#projectDir);
    return join(this.#approvalsDir, `${digestOf(project).slice(0, 32)}.json`);
  }
}

/** SHA-256 in hexadecimal. */
export function digestOf(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function parseApprovals(text: string): ApprovedDigests {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("hooks" in value)) return new Map();
  const { hooks } = value;
  if (typeof hooks !== "object" || hooks === null) return new Map();
  const entries = Object.entries(hooks).filter(([, digest]) => typeof digest === "string");
  return new Map(entries as [string, string][]);
}
