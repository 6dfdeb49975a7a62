import { statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { isObject } from "../../base/values.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import { removeLeftDrafts, replaceFile } from "../../config/replace-file.ts";
import {
  type Rotation,
  type TokenRecord,
  type TokenStore,
  withAdded,
  withRevoked,
  withRotated,
  withUses,
} from "./token-store.ts";

/** Made tokens in a file of this user alone, replaced as a whole under a lock. */
export class FileTokenStore implements TokenStore {
  constructor(readonly place: string) {}

  async list(): Promise<readonly TokenRecord[]> {
    return readRecords(this.place);
  }

  async version(): Promise<string> {
    try {
      const { ino, mode, size, mtimeMs, ctimeMs } = await stat(this.place);
      return `${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;
    } catch (error) {
      return systemCodeOf(error) ?? messageOf(error);
    }
  }

  add(record: TokenRecord): Promise<void> {
    return this.#change((records) => ({ records: withAdded(records, record), result: undefined }));
  }

  revoke(label: string, nowMs: number): Promise<number> {
    return this.#change((before) => {
      const { records, count } = withRevoked(before, label, nowMs);
      return { records: count === 0 ? before : records, result: count };
    });
  }

  rotate(rotation: Rotation): Promise<TokenRecord> {
    return this.#change((before) => {
      const { records, record } = withRotated(before, rotation);
      return { records, result: record };
    });
  }

  noteUses(uses: ReadonlyMap<string, number>): Promise<void> {
    return this.#change((records) => ({ records: withUses(records, uses), result: undefined }));
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #change<Result>(
    change: (records: readonly TokenRecord[]) => {
      readonly records: readonly TokenRecord[];
      readonly result: Result;
    },
  ): Promise<Result> {
    const file = this.place;
    // A server that only reads does without it.
    const { withFileLock } = await import("../../config/file-lock.ts");
    return withFileLock(file, () => {
      removeLeftDrafts(file);
      const before = readRecords(file);
      const { records, result } = change(before);
      if (records === before) return result;
      const lines = records.map((record) => `    ${JSON.stringify(record)}`).join(",\n");
      replaceFile(file, `{\n  "version": 1,\n  "tokens": [\n${lines}\n  ]\n}\n`);
      return result;
    });
  }
}

/** @throws AppError `config` for a file that another user could have written, or that is not what we wrote */
function readRecords(file: string): readonly TokenRecord[] {
  const content = readTextFile(file);
  if (content.kind === "absent") return [];
  const fail = (what: string): never => {
    throw new AppError("config", `The tokens in ${file} cannot be used: the file ${what}.`);
  };
  if (content.kind === "unusable") return fail(content.reason);
  const fault = faultOfMode(file);
  if (fault !== undefined) return fail(fault);
  const records = parseRecords(content.text);
  return records ?? fail("is damaged; restore it, or move it away and make new tokens");
}

function faultOfMode(file: string): string | undefined {
  if (process.platform === "win32") return undefined;
  const { mode, uid } = statSync(file);
  if ((mode & 0o077) !== 0) return `is open to other users: run "chmod 600 ${file}"`;
  const own = process.getuid?.() ?? uid;
  if (uid === own || uid === 0 || own === 0) return undefined;
  return `belongs to another user: run this as the owner of ${dirname(file)}`;
}

function parseRecords(text: string): readonly TokenRecord[] | undefined {
  try {
    const document: unknown = JSON.parse(text);
    if (!isObject(document) || document.version !== 1) return undefined;
    const { tokens } = document;
    return Array.isArray(tokens) && tokens.every(isRecord) ? tokens : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is TokenRecord {
  if (!isObject(value)) return false;
  const { digest, label, scopes, servers, createdAtMs } = value;
  const times = [value.expiresAtMs, value.replacedAtMs, value.revokedAtMs, value.usedAtMs];
  return (
    typeof digest === "string" &&
    typeof label === "string" &&
    typeof createdAtMs === "number" &&
    times.every((time) => time === undefined || typeof time === "number") &&
    [scopes, servers].every((list) => list === undefined || isTexts(list))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
