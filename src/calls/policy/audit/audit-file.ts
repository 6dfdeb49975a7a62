import { constants } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { AppError, systemCodeOf } from "../../../base/errors.ts";
import { auditFileBytesMax, auditFilesMax, auditLockAgeMsMax } from "../../../base/limits.ts";

export const auditFileName = "audit.jsonl";

/**
 * The audit log of a user, which several processes append to. Lines go in whole; a full file becomes
 * `audit.1.jsonl`, and so on. Lines that another process writes during a rename are in one of them.
 */
export class AuditFile {
  readonly path: string;

  constructor(readonly folder: string) {
    this.path = join(folder, auditFileName);
  }

  /** @param lines each with its newline. @throws AppError `system`, errors of the file system */
  async append(lines: string): Promise<void> {
    if (isFull(await this.#size(), lines)) await this.#rotate(lines);
    // Windows has neither of the last two.
    const known: Partial<typeof constants> = constants;
    const { O_APPEND = 0, O_CREAT = 0, O_RDWR = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = known;
    await using file = await this.#open(O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) throw new AppError("system", `${this.path} is not a file`);
    // A full disk may have cut off the last line.
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, stats.size - 1));
    const isCutOff = stats.size > 0 && buffer[0] !== newline;
    await file.appendFile(isCutOff ? `\n${lines}` : lines);
  }

  async #open(flags: number): ReturnType<typeof open> {
    try {
      return await open(this.path, flags, 0o600);
    } catch (error) {
      if (systemCodeOf(error) !== "ENOENT") throw error;
      await mkdir(dirname(this.folder), { recursive: true, mode: 0o700 });
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      return open(this.path, flags, 0o600);
    }
  }

  async #size(): Promise<number> {
    try {
      return (await stat(this.path)).size;
    } catch {
      return 0;
    }
  }

  /** By one process at a time; the second one finds a file that is no longer full. */
  async #rotate(lines: string): Promise<void> {
    const lock = join(this.folder, "audit.lock");
    if (!(await takeLock(lock))) return;
    try {
      if (!isFull(await this.#size(), lines)) return;
      for (let number = auditFilesMax - 1; number > 0; number--) {
        const from = number === 1 ? this.path : this.#numbered(number - 1);
        await rename(from, this.#numbered(number)).catch(ignoreMissing);
      }
    } finally {
      await rm(lock, { force: true });
    }
  }

  #numbered(number: number): string {
    return join(this.folder, `audit.${number}.jsonl`);
  }
}

const newline = 0x0a;

/** An empty one takes everything. */
function isFull(size: number, lines: string): boolean {
  return size > 0 && size + lines.length > auditFileBytesMax;
}

/** False when another process has it. One that died leaves it behind: after a while it counts no more. */
async function takeLock(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if (systemCodeOf(error) !== "EEXIST") throw error;
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > auditLockAgeMsMax) await rm(path, { force: true });
    return false;
  }
}

function ignoreMissing(error: unknown): void {
  if (systemCodeOf(error) !== "ENOENT") throw error;
}
