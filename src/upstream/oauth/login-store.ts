import { join } from "node:path";

import { sha256Hex } from "../../base/digests.ts";
import { secretsFolderName } from "../../base/own-files.ts";
import type { Environment } from "../../base/values.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { resolveByLibrary } from "../../network/judge-host.ts";
import { type Roads, roadsOf } from "../../network/route.ts";
import type { WritableSecretStore } from "../secrets/secret-store.ts";
import { type Challenge, joinScopes } from "./discover.ts";
import {
  type LoginEntry,
  type LoginRecord,
  type Logins,
  LoginsFile,
  parseLoginRecord,
  printRecord,
  type WantedLogin,
} from "./logins-file.ts";
import type { LoginPlace } from "./oauth-reach.ts";

/** Network routes to authorization servers. @param env has the variables that name the user's proxy */
export function loginRoads(env: Environment): Roads {
  return roadsOf(env, resolveByLibrary);
}

/** The logins of this user: a file lists them, the store of secrets has their tokens. */
export class LoginStore {
  readonly #file: LoginsFile;
  readonly #secrets: WritableSecretStore;
  readonly #scorpioxDir: string;

  /**
   * @param scorpioxDir `~/.scorpiox`
   * @param roads routes to authorization servers
   */
  constructor(
    scorpioxDir: string,
    secrets: WritableSecretStore,
    readonly roads: Roads = loginRoads({}),
  ) {
    this.#file = new LoginsFile(scorpioxDir);
    this.#secrets = secrets;
    this.#scorpioxDir = scorpioxDir;
  }

  /** The file that changes with each login and logout. */
  get path(): string {
    return this.#file.path;
  }

  /** The login for a place. Never rejects, and uses no keychain. */
  async entry(place: LoginPlace): Promise<LoginEntry | undefined> {
    return (await this.#file.read()).entries.get(keyOf(place));
  }

  /** The demands of the server when it refused a request. Never rejects. */
  async wanted(place: LoginPlace): Promise<WantedLogin> {
    return (await this.#file.read()).wanted.get(keyOf(place)) ?? {};
  }

  /** @throws AppError `system` when the store of secrets refuses */
  async record(entry: LoginEntry): Promise<LoginRecord | undefined> {
    const text = await this.#secrets.get(secretName(entry));
    return text === undefined ? undefined : parseLoginRecord(text);
  }

  /**
   * Adds a login and deletes the one before. @param id a new one ends connections that used the login before
   * @throws AppError
   */
  async add(
    place: LoginPlace,
    record: LoginRecord,
    id: string = crypto.randomUUID(),
  ): Promise<void> {
    const { issuer, resource, client } = record;
    const { grant } = place;
    const named = { id, issuer, resource, clientId: client.clientId };
    const entry = grant === undefined ? named : { ...named, grant };
    const before = await this.entry(place);
    await this.keep(entry, record);
    await this.#file.change(({ entries, wanted }) => ({
      entries: new Map([...entries, [keyOf(place), entry]]),
      wanted: without(wanted, keyOf(place)),
    }));
    if (before !== undefined) await this.#forget(before);
  }

  /** Stores new tokens of a login. @throws AppError */
  async keep(entry: LoginEntry, record: LoginRecord): Promise<void> {
    await this.#secrets.set(secretName(entry), printRecord(record));
  }

  /** @throws AppError */
  async remove(place: LoginPlace): Promise<void> {
    const entry = await this.entry(place);
    await this.#file.change((logins) => removed(logins, keyOf(place)));
    if (entry !== undefined) await this.#forget(entry);
  }

  /** Remembers a server's demands for the next login, if there are any. @throws AppError */
  async note(place: LoginPlace, { scope, resourceMetadata }: Challenge): Promise<void> {
    const key = keyOf(place);
    await this.#file.change((logins) => {
      const before = logins.wanted.get(key);
      const address = resourceMetadata ?? before?.resourceMetadata;
      const scopes = joinScopes(before?.scope, scope);
      const isKnown = before?.scope === scopes && before?.resourceMetadata === address;
      const isTooLong = [scopes, address].some((text) => (text?.length ?? 0) > wantedCharsMax);
      if (isKnown || isTooLong || (before === undefined && logins.wanted.size >= wantedMax)) {
        return logins;
      }
      const wanted: WantedLogin = {
        ...(scopes === undefined ? {} : { scope: scopes }),
        ...(address === undefined ? {} : { resourceMetadata: address }),
      };
      return { ...logins, wanted: new Map([...logins.wanted, [key, wanted]]) };
    });
  }

  /**
   * Runs `work` under a lock over all processes: one at a time changes the tokens of a login.
   * @throws AppError `system`
   */
  renewing<Result>(entry: LoginEntry, work: () => Promise<Result>): Promise<Result> {
    const name = hashOf(secretName(entry)).slice(0, 16);
    return withFileLock(join(this.#scorpioxDir, secretsFolderName, `login-${name}`), work);
  }

  /** Runs `work` under a lock over all processes: one at a time gets tokens for a server. @throws AppError `system` */
  alone<Result>(place: LoginPlace, work: () => Promise<Result>): Promise<Result> {
    const name = keyOf(place).slice(0, 16);
    return withFileLock(join(this.#scorpioxDir, secretsFolderName, `login-${name}`), work);
  }

  /** Deletes the tokens unless other entries have the same login. */
  async #forget(entry: LoginEntry): Promise<void> {
    const { entries } = await this.#file.read();
    const isUsed = [...entries.values()].some((other) => secretName(other) === secretName(entry));
    if (!isUsed) await this.#secrets.remove(secretName(entry));
  }
}

/** Demands of servers are stored only up to a sensible size. */
const wantedCharsMax = 2_000;
const wantedMax = 500;

function removed(logins: Logins, key: string): Logins {
  const isThere = logins.entries.has(key) || logins.wanted.has(key);
  if (!isThere) return logins;
  return { entries: without(logins.entries, key), wanted: without(logins.wanted, key) };
}

function without<Item>(map: ReadonlyMap<string, Item>, key: string): ReadonlyMap<string, Item> {
  return new Map([...map].filter(([each]) => each !== key));
}

/** The key of a login, one for all spellings of a server's address; hashed because an address may contain a secret. */
function keyOf({ url, clientId, grant }: LoginPlace): string {
  const parsed = URL.parse(url);
  if (parsed !== null) parsed.hash = "";
  const parts = [parsed?.href ?? url, clientId ?? null, ...(grant === undefined ? [] : [grant])];
  return hashOf(JSON.stringify(parts)).slice(0, 32);
}

/** A name with a colon, which no reference in an entry can have. */
function secretName({ issuer, resource, clientId, grant }: LoginEntry): string {
  const parts = [issuer, resource, clientId, ...(grant === undefined ? [] : [grant])];
  return `oauth:${hashOf(JSON.stringify(parts))}`;
}

function hashOf(text: string): string {
  return sha256Hex(text);
}
