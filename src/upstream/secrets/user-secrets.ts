import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { sha256Hex } from "../../base/digests.ts";
import { AppError } from "../../base/errors.ts";
import { secretNamesFileName, secretsFolderName } from "../../base/own-files.ts";
import { secretBytesMax, secretNamesMax } from "../../base/upstream-limits.ts";
import { type Environment, isObject } from "../../base/values.ts";
import { withFileLock } from "../../config/file-lock.ts";
import type { ConfigDirs } from "../../config/places.ts";
import { replaceFile } from "../../config/replace-file.ts";
import { Keychain } from "./keychain.ts";
import {
  isOfUser,
  makePrivateFolder,
  SecretFiles,
  type SecretPlace,
  type WritableSecretStore,
} from "./secret-store.ts";

/** The name of a secret and the place where it is stored. */
export interface SecretRow {
  readonly name: string;
  readonly place: SecretPlace;
}

/**
 * The secrets of one user: in the keychain of the system, or in files where it has none (SE1). Secrets that the
 * keychain does not have are looked up in the files, so that older files work until they are migrated.
 */
export class UserSecrets implements WritableSecretStore {
  readonly #folder: string;
  /** Any process writes it when it changes a secret of the user; running servers watch it. */
  readonly #changeFile: string;
  readonly #files: SecretFiles;
  readonly #keychain: Keychain | undefined;

  /**
   * @param folder `~/.scorpiox/secrets`
   * @param keychain undefined: files only
   */
  constructor(folder: string, keychain: Keychain | undefined) {
    this.#folder = folder;
    this.#changeFile = join(folder, secretNamesFileName);
    this.#files = new SecretFiles(folder);
    this.#keychain = keychain;
  }

  /** The place for the next secret. */
  async place(): Promise<SecretPlace> {
    return (await this.#keychain?.isThere()) === true ? "keychain" : "file";
  }

  async get(name: string): Promise<string | undefined> {
    // Files come first: reading one costs nothing, while a keychain may ask the user.
    const inFile = await this.#files.get(name);
    if (inFile !== undefined || (await this.place()) === "file") return inFile;
    return this.#keychain?.get(name);
  }

  async set(name: string, value: string): Promise<SecretPlace> {
    if (Buffer.byteLength(value) > secretBytesMax) {
      throw new AppError("limit", `A secret has at most ${secretBytesMax} bytes.`);
    }
    const place = await this.place();
    await this.#change(name, async (names) => {
      if (!names.has(name) && names.size >= secretNamesMax) {
        throw new AppError("limit", `There are ${secretNamesMax} secrets already; remove some.`);
      }
      if (place === "keychain") {
        await this.#keychain?.set(name, value);
        // The older value would be found first.
        await this.#files.remove(name);
        names.add(name);
      } else {
        this.#files.set(name, value);
      }
    });
    return place;
  }

  async remove(name: string): Promise<boolean> {
    let wasThere = false;
    await this.#change(name, async (names) => {
      wasThere = await this.#files.remove(name);
      if ((await this.place()) === "keychain") {
        wasThere = ((await this.#keychain?.remove(name)) ?? false) || wasThere;
        names.delete(name);
      }
    });
    return wasThere;
  }

  /** Sorted by name. Names in the keychain come from scorpiox-code's own list. */
  async list(): Promise<readonly SecretRow[]> {
    const rows = new Map<string, SecretPlace>();
    for (const name of await this.#namesInKeychain()) rows.set(name, "keychain");
    for (const name of await this.#files.names()) rows.set(name, "file");
    return [...rows]
      .map(([name, place]) => ({ name, place }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Moves secrets from files into the keychain. Returns their names.
   * @throws AppError `unsupported` without a keychain
   */
  async migrate(): Promise<readonly string[]> {
    if ((await this.place()) === "file") {
      throw new AppError(
        "unsupported",
        "This system has no keychain that answers. Nothing was moved.",
      );
    }
    const moved: string[] = [];
    for (const name of await this.#files.names()) {
      const value = await this.#files.get(name);
      if (value === undefined) continue;
      await this.set(name, value);
      moved.push(name);
    }
    return moved.sort();
  }

  async #change(name: string, act: (namesInKeychain: Set<string>) => Promise<void>): Promise<void> {
    makePrivateFolder(this.#folder);
    await withFileLock(this.#changeFile, async () => {
      const before = await this.#namesInKeychain();
      const names = new Set(before);
      await act(names);
      // Tokens change often, and no other process waits for them.
      if (!isOfUser(name) && names.size === before.length) return;
      const text = JSON.stringify({ inKeychain: [...names], changed: crypto.randomUUID() });
      replaceFile(this.#changeFile, text, 0o600);
    });
  }

  async #namesInKeychain(): Promise<readonly string[]> {
    try {
      const parsed: unknown = JSON.parse(await readFile(this.#changeFile, "utf8"));
      const names: unknown = isObject(parsed) ? parsed.inKeychain : undefined;
      return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
    } catch {
      // None yet, or damaged: secrets are still found by their names.
      return [];
    }
  }
}

/** Opens the secrets of this user. */
export function openUserSecrets(
  dirs: Pick<ConfigDirs, "homeDir" | "scorpioxDir">,
  env: Environment,
): UserSecrets {
  return new UserSecrets(join(dirs.scorpioxDir, secretsFolderName), userKeychain(dirs, env));
}

/** The keychain of this user, which may not answer. Undefined with `SCORPIOX_SECRETS=file`. */
export function userKeychain(
  { homeDir, scorpioxDir }: Pick<ConfigDirs, "homeDir" | "scorpioxDir">,
  env: Environment,
): Keychain | undefined {
  if (env["SCORPIOX_SECRETS"] === "file") return undefined;
  const isUsual = scorpioxDir === join(homeDir, ".scorpiox");
  // A different folder (SCORPIOX_HOME) has secrets of its own.
  const hash = sha256Hex(scorpioxDir).slice(0, 12);
  return new Keychain(isUsual ? "scorpiox-code" : `scorpiox-code ${hash}`);
}
