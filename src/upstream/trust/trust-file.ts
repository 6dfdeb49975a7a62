import { mkdirSync, renameSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { trustFileBytesMax } from "../../base/upstream-limits.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { faultOfWriters } from "../../config/read-text-file.ts";
import { removeLeftDrafts, replaceFile } from "../../config/replace-file.ts";
import { emptyRecord, parseRecord, printRecord, type TrustRecord } from "./trust-record.ts";

/** What the file says, or that nothing counts as approved because it cannot be used. */
export interface TrustReading {
  readonly record: TrustRecord;
  /** Why the file cannot be used, fit for a person. */
  readonly problem?: string;
  /** What a writer does about a file that cannot be used. */
  readonly remedy?: "set-aside" | "leave";
}

/** `trust.json`: read anew when it has changed, written by one at a time. */
export class TrustFile {
  readonly path: string;
  #reading: TrustReading | undefined;
  #stamp = "";

  constructor(path: string) {
    this.path = path;
  }

  /** Never rejects. */
  async read(): Promise<TrustReading> {
    try {
      const stats = await stat(this.path, { bigint: true });
      const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
      if (this.#reading !== undefined && stamp === this.#stamp) return this.#reading;
      const reading = await this.#readAnew(stats.isFile(), Number(stats.size));
      this.#reading = reading;
      this.#stamp = stamp;
      return reading;
    } catch (error) {
      return this.#unreadable(error);
    }
  }

  /**
   * Changes what is there now, also when another process has changed it meanwhile. A damaged file is kept beside the
   * new one.
   * @returns false when there was nothing to change
   * @throws AppError `system` when it cannot be read or written
   */
  async update(change: (record: TrustRecord) => TrustRecord): Promise<boolean> {
    return withFileLock(this.path, async () => {
      // Its time may be the same as of the file that was read before: within the lock only the content counts.
      this.#reading = undefined;
      const { record, problem, remedy } = await this.read();
      if (remedy === "leave") {
        throw new AppError("system", `${problem ?? this.path} Nothing was written.`);
      }
      const changed = change(record);
      if (changed === record) return false;
      const text = printRecord(changed);
      this.#assertReadable(text);
      this.#write(text, remedy === "set-aside");
      this.#reading = undefined;
      return true;
    });
  }

  /** What one server has too much of must not make the approvals of all others unreadable. */
  #assertReadable(text: string): void {
    if (Buffer.byteLength(text) <= trustFileBytesMax) return;
    const remedy =
      "Delete it to begin anew: what servers offer is then approved again when they are met";
    const message = `${this.path} would be larger than ${trustFileBytesMax} bytes; nothing was written. ${remedy}.`;
    throw new AppError("system", message);
  }

  #write(text: string, isSetAside: boolean): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      if (isSetAside) renameSync(this.path, `${this.path}.damaged-${Date.now()}`);
      removeLeftDrafts(this.path);
      replaceFile(this.path, text, 0o600);
    } catch (error) {
      const message = `${this.path} cannot be written: ${messageOf(error)}.`;
      throw new AppError("system", message, { cause: error });
    }
  }

  async #readAnew(isFile: boolean, size: number): Promise<TrustReading> {
    if (!isFile) return this.#unusable("is not a regular file", "leave");
    if (size > trustFileBytesMax) {
      return this.#unusable(`is larger than ${trustFileBytesMax} bytes`, "leave");
    }
    const fault = faultOfWriters(this.path);
    if (fault !== undefined) return this.#unusable(fault, "leave");
    const parsed = parseRecord(await readFile(this.path, "utf8"));
    if (parsed.kind === "record") return { record: parsed.record };
    if (parsed.kind === "later") {
      return this.#unusable("was written by a later version of this program", "leave");
    }
    return this.#unusable("is damaged; the next approval keeps it under another name", "set-aside");
  }

  #unreadable(error: unknown): TrustReading {
    const code = systemCodeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { record: emptyRecord };
    return this.#unusable(`cannot be read: ${messageOf(error)}`, "leave");
  }

  #unusable(reason: string, remedy: "set-aside" | "leave"): TrustReading {
    const problem = `${this.path} ${reason}. Nothing of other servers counts as approved.`;
    return { record: emptyRecord, problem, remedy };
  }
}
