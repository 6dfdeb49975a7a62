import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { sha256Hex } from "../../base/digests.ts";
import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { secretBytesMax, secretNamesMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { replaceFile } from "../../config/replace-file.ts";
/** A store of the secrets to which entries refer: `${keyring:NAME}` and `${input:NAME}`. */
export interface SecretStore {
  /**
   * The secret of this name; undefined when there is none.
   * @throws when the store cannot be read: locked, or refused by the user
   */
  get(name: string): Promise<string | undefined>;
}

/** The place where a secret is stored. */
export type SecretPlace = "keychain" | "file";

/** A store that can be changed. All methods but `get` throw AppError `system` when the store refuses. */
export interface WritableSecretStore extends SecretStore {
  /** Returns the place where the secret was stored. */
  set(name: string, value: string): Promise<SecretPlace>;
  /** False when there was none. */
  remove(name: string): Promise<boolean>;
}

/** Names to which entries can refer; scorpiox-code's own have a colon. */
const ofUsers = /^[\w.@/ -]{1,128}$/;

/** @throws AppError `usage` for a name to which no entry can refer */
export function checkSecretName(name: string): void {
  if (ofUsers.test(name) && name === name.trim()) return;
  throw new AppError(
    "usage",
    `${JSON.stringify(name.slice(0, 140))} is not a valid name of a secret: use 1 to 128 letters, digits, spaces and . _ - @ /, as in \${keyring:NAME}.`,
  );
}

/** True for a secret of the user, false for a login of scorpiox-code. */
export function isOfUser(name: string): boolean {
  return ofUsers.test(name);
}

const ending = ".secret";

/** A file for each secret, which only this user can read: for systems without a keychain. */
export class SecretFiles {
  readonly #folder: string;

  /** @param folder `~/.scorpiox/secrets`; created with the first secret */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws AppError `system` */
  async get(name: string): Promise<string | undefined> {
    const found = await this.#read(this.#fileOf(name));
    return found?.name === name ? found.value : undefined;
  }

  /** @throws AppError `system` */
  set(name: string, value: string): void {
    try {
      makePrivateFolder(this.#folder);
      replaceFile(this.#fileOf(name), JSON.stringify({ name, value }), 0o600);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError("system", `The secret cannot be written: ${messageOf(error)}.`);
    }
  }

  /** @throws AppError `system` */
  async remove(name: string): Promise<boolean> {
    try {
      await rm(this.#fileOf(name));
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw new AppError("system", `The secret cannot be removed: ${messageOf(error)}.`);
    }
  }

  /** Unordered, without files that cannot be read. */
  async names(): Promise<readonly string[]> {
    const files = await readdir(this.#folder).catch(() => []);
    const names: string[] = [];
    for (const file of files.filter((each) => each.endsWith(ending)).slice(0, secretNamesMax)) {
      const found = await this.#read(join(this.#folder, file)).catch(() => undefined);
      if (found !== undefined) names.push(found.name);
    }
    return names;
  }

  async #read(
    file: string,
  ): Promise<{ readonly name: string; readonly value: string } | undefined> {
    try {
      keepPrivate(file);
      const parsed: unknown = JSON.parse(await readFile(file, "utf8"));
      const { name, value } = isObject(parsed) ? parsed : {};
      if (typeof name === "string" && typeof value === "string") return { name, value };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      if (error instanceof AppError) throw error;
      // The message of a parse error may quote the secret.
      const why = error instanceof SyntaxError ? "it is damaged" : messageOf(error);
      throw new AppError("system", `${file} cannot be used: ${why}.`);
    }
    throw new AppError("system", `${file} cannot be used: it is damaged. Set the secret again.`);
  }

  /** Hashes the name: it may have characters that file names must not, and file systems may ignore case. */
  #fileOf(name: string): string {
    const hash = sha256Hex(name);
    return join(this.#folder, `${hash.slice(0, 40)}${ending}`);
  }
}

/** @throws AppError `system` when it is not a folder; the system's error */
export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw new AppError("system", `${folder} is not a folder.`);
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Restores the mode, which copies and backups lose. @throws AppError when it cannot be a file of secrets */
function keepPrivate(file: string): void {
  const stats = lstatSync(file);
  if (!stats.isFile()) throw new AppError("system", `${file} is not a regular file.`);
  if (stats.size > secretBytesMax * 7) throw new AppError("system", `${file} is too large.`);
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) chmodSync(file, 0o600);
}

function isAbsent(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
