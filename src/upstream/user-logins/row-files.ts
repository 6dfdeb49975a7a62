import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import {
  userLoginBytesMax,
  userLoginRowsKept,
  userLoginsListedMax,
} from "../../base/upstream-limits.ts";
import { isObject, ownValue } from "../../base/values.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { replaceFile } from "../../config/replace-file.ts";
import { makePrivateFolder } from "../secrets/secret-store.ts";
import type { RowKind, SealedRow, SealedRows } from "./login-vault.ts";

const ending = ".json";

interface Known {
  readonly stamp: string;
  readonly row: SealedRow | undefined;
}

/** Rows as files that only this user can read, in a folder that processes on this machine share. */
export class RowFiles implements SealedRows {
  readonly #folder: string;
  /** Rows that were read, until their files change. */
  readonly #known = new Map<string, Known>();

  /** @param folder `~/.scorpiox/user-logins`; created with the first row */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async get(kind: RowKind, key: string): Promise<SealedRow | undefined> {
    const file = this.#fileOf(kind, key);
    const stamp = await stampOf(file);
    if (stamp === undefined) {
      this.#known.delete(file);
      return undefined;
    }
    const known = this.#known.get(file);
    if (known?.stamp === stamp) return known.row;
    const row = await read(file);
    if (this.#known.size >= userLoginRowsKept) this.#known.clear();
    this.#known.set(file, { stamp, row });
    return row;
  }

  put(row: SealedRow): Promise<void> {
    try {
      makePrivateFolder(this.#folder);
      replaceFile(this.#fileOf(row.kind, row.key), `${JSON.stringify(row)}\n`, 0o600);
      return Promise.resolve();
    } catch (error) {
      return Promise.reject(this.#fault(error));
    }
  }

  async take(kind: RowKind, key: string): Promise<SealedRow | undefined> {
    const file = this.#fileOf(kind, key);
    // Of several renames of one file, one succeeds.
    const taken = `${file}.${crypto.randomUUID()}`;
    try {
      await rename(file, taken);
      return await read(taken);
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw this.#fault(error);
    } finally {
      await rm(taken, { force: true });
    }
  }

  async list(kind: RowKind): Promise<readonly SealedRow[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (isAbsent(error)) return [];
      throw this.#fault(error);
    });
    const rows: SealedRow[] = [];
    for (const name of names) {
      if (!name.startsWith(`${kind}-`) || !name.endsWith(ending)) continue;
      if (rows.length >= userLoginsListedMax) break;
      const row = await read(join(this.#folder, name)).catch(() => undefined);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  alone<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return withFileLock(join(this.#folder, `lock-${key}`), work);
  }

  #fileOf(kind: RowKind, key: string): string {
    return join(this.#folder, `${kind}-${key}${ending}`);
  }

  #fault(error: unknown): AppError {
    if (error instanceof AppError) return error;
    return new AppError(
      "system",
      `The logins in ${this.#folder} cannot be used: ${messageOf(error)}.`,
    );
  }
}

async function stampOf(file: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw new AppError("system", `${file} cannot be used: ${messageOf(error)}.`);
  }
}

/** Undefined for a file that scorpiox-code did not write. */
async function read(file: string): Promise<SealedRow | undefined> {
  if ((await stat(file)).size > userLoginBytesMax) return undefined;
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (!isObject(value)) return undefined;
    const texts = ["kind", "key", "id", "owner", "server", "sealed"];
    const isWhole =
      texts.every((name) => typeof value[name] === "string") && typeof value["since"] === "number";
    // Opening the sealed text shows whether this program wrote it.
    return isWhole ? ownValue<SealedRow>(value) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isAbsent(error)) return undefined;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
