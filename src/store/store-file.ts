import type { Database } from "bun:sqlite";

import { storeBusyMsMax } from "../base/limits.ts";
import { CommitError, commitTogether, type StoreOutcome } from "./commit-together.ts";
import { type FileIdentity, identityOf } from "./file-identity.ts";
import { assertNotNewer } from "./migrate.ts";
import { openStore, setAsideAloud } from "./open-store.ts";
import { isDamage, storeError } from "./store-errors.ts";
import type { StoreCall } from "./store-methods.ts";

interface OpenFile {
  readonly database: Database;
  readonly identity: FileIdentity;
  /** Of the log that the changes go to first. */
  readonly walIdentity: FileIdentity;
}

/**
 * The one connection that writes what must survive a power cut. Opened with the first request and again after
 * every failure, so that a disk with room again, or a folder that may be written again, is all it takes.
 */
export class StoreFile {
  readonly #path: string;
  readonly #busyMsMax: number;
  #open: OpenFile | undefined;
  /** Told with the next reply. */
  #notices: string[] = [];

  constructor(path: string, busyMsMax: number = storeBusyMsMax) {
    this.#path = path;
    this.#busyMsMax = busyMsMax;
  }

  /** Does all of them in one transaction. @throws AppError `system` when none of them was done */
  perform(calls: readonly StoreCall[]): StoreOutcome[] {
    try {
      return this.#attempt(calls);
    } catch (error) {
      const reason = reasonOf(error);
      this.#settle(error);
      if (!isDamage(reason)) throw this.#described(error);
    }
    // The damaged file is out of the way.
    try {
      return this.#attempt(calls);
    } catch (error) {
      this.close();
      throw this.#described(error);
    }
  }

  /** What has become of the file since the last time: said once. */
  takeNotices(): string[] {
    return this.#notices.splice(0);
  }

  close(): void {
    const { database } = this.#open ?? {};
    this.#open = undefined;
    try {
      database?.close();
    } catch {
      // What was acknowledged is on the disk.
    }
  }

  #attempt(calls: readonly StoreCall[]): StoreOutcome[] {
    this.#leaveIfReplaced();
    const { database } = (this.#open ??= this.#opened());
    assertNotNewer(database);
    return commitTogether(database, calls, this.#busyMsMax);
  }

  #opened(): OpenFile {
    const warn = (message: string): void => void this.#notices.push(message);
    const options = { busyMsMax: this.#busyMsMax, synchronous: "full", isChecked: true } as const;
    const database = openStore(this.#path, { ...options, warn });
    return { database, ...identitiesOf(this.#path) };
  }

  /** Changes to a file that has lost its name would be acknowledged and lost. */
  #leaveIfReplaced(): void {
    if (this.#open === undefined) return;
    const { identity, walIdentity } = identitiesOf(this.#path);
    if (identity === this.#open.identity && walIdentity === this.#open.walIdentity) return;
    this.close();
    const what = identity === undefined ? "removed" : "replaced";
    this.#notices.push(`${this.#path} was ${what} while it was in use; what is there now is used.`);
  }

  /** After a failure nothing is taken for granted: the next request opens the file anew. */
  #settle(error: unknown): void {
    const identity = this.#open?.identity;
    this.close();
    const reason = reasonOf(error);
    if (!isDamage(reason) || identity === undefined) return;
    const warn = (message: string): void => void this.#notices.push(message);
    try {
      setAsideAloud(this.#path, identity, reason, { warn });
    } catch (failure) {
      throw storeError(this.#path, failure);
    }
  }

  #described(error: unknown): Error {
    const mayBeKept = error instanceof CommitError && error.mayBeKept;
    const outcome = mayBeKept
      ? "The change may have been kept all the same: look before you repeat it."
      : "Nothing was changed.";
    return storeError(this.#path, reasonOf(error), outcome);
  }
}

function reasonOf(error: unknown): unknown {
  return error instanceof CommitError ? error.reason : error;
}

function identitiesOf(path: string): Pick<OpenFile, "identity" | "walIdentity"> {
  return { identity: identityOf(path), walIdentity: identityOf(`${path}-wal`) };
}
