import { constants } from "node:fs";
import { mkdir, open, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { randomHex, sha256Hex } from "../../../base/digests.ts";
import { AppError, messageOf } from "../../../base/errors.ts";
import { hookFileBytesMax } from "../../../base/limits.ts";
import { faultOfWriters } from "../../../config/read-text-file.ts";

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

  /** Empty where there is no file, or one that cannot be used: then nothing is approved. */
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

  /** Replaces the earlier approvals. @throws AppError `system` */
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
    return join(this.#approvalsDir, `${sha256Hex(project).slice(0, 32)}.json`);
  }
}

function parseApprovals(text: string): ApprovedDigests {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("hooks" in value)) return new Map();
  const { hooks } = value;
  if (typeof hooks !== "object" || hooks === null) return new Map();
  const digests = new Map<string, string>();
  for (const [name, digest] of Object.entries(hooks)) {
    if (typeof digest === "string") digests.set(name, digest);
  }
  return digests;
}

/** Bytes that tell a script from a program. */
const headBytes = 512;

/**
 * The whole content of a project's hook: the same bytes are judged and run.
 * @throws AppError `system`, `limit`
 */
export async function readHookContent(path: string): Promise<Uint8Array> {
  const bytes = await readStart(path, hookFileBytesMax + 1);
  if (bytes.length <= hookFileBytesMax) return bytes;
  const mib = hookFileBytesMax / 1024 / 1024;
  throw new AppError(
    "limit",
    `${path} is larger than ${mib} MiB: a project's hook must be smaller.`,
  );
}

/** The first bytes. @throws AppError `system` */
export function readHookHead(path: string): Promise<Uint8Array> {
  return readStart(path, headBytes);
}

async function readStart(path: string, bytesMax: number): Promise<Uint8Array> {
  try {
    // A pipe in the place of the file is not waited for.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
    await using file = await open(path, flags);
    const stats = await file.stat();
    if (!stats.isFile()) throw new AppError("system", `${path} is not a file any more.`);
    const bytes = Buffer.alloc(Math.min(bytesMax, stats.size + 1));
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("system", `${path} cannot be read: ${messageOf(error)}.`);
  }
}

/** A private file with this content; gone when disposed of. */
export interface PrivateFile extends AsyncDisposable {
  readonly path: string;
}

/** @param extension with its dot, or empty */
export async function makePrivateFile(
  folder: string,
  content: string | Uint8Array,
  { extension, mode }: { readonly extension: string; readonly mode: number },
): Promise<PrivateFile> {
  const path = join(folder, `${randomHex(8)}${extension}`);
  const remove = (): Promise<void> => rm(path, { force: true });
  try {
    await writeFile(path, content, { mode, flag: "wx" });
  } catch (error) {
    // The part written before the disk was full.
    await remove();
    throw error;
  }
  return { path, [Symbol.asyncDispose]: remove };
}
