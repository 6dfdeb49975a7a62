import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";

import type { AppError } from "../../base/errors.ts";
import { storeBusyMsMax } from "../../base/limits.ts";
import { CommitError, commitTogether, type StoreOutcome } from "./commit-together.ts";
import { type FileIdentity, identityOf } from "./look-file.ts";
import { assertNotNewer } from "./migrate.ts";
import { openStore, setAsideAloud } from "./open-store.ts";
import { isDamage, storeError } from "./store-errors.ts";
import { isWrite, type StoreCall } from "./store-methods.ts";

interface OpenFile {
  readonly database: Database;
  readonly identity: FileIdentity;
  /** The identity of the log that the changes go to first. */
  readonly walIdentity: FileIdentity;
}

/**
 * The one connection that writes data that must survive a power cut. Opened with the first request and again after
 * every failure, so that a disk with room again, or a folder that may be written again, is all it takes.
 */
export class StoreFile {
  readonly #path: string;
  readonly #busyMsMax: number;
  #open: OpenFile | undefined;
  /** Notices for the next reply. */
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
      if (!(reason instanceof Replaced)) {
        this.#settle(error);
        if (!isDamage(reason)) return this.#readOnly(calls, this.#described(error));
      }
    }
    // The damaged file is out of the way, or the one that is there now is opened.
    try {
      return this.#attempt(calls);
    } catch (error) {
      this.close();
      throw this.#described(error);
    }
  }

  /**
   * A caller that only reads need not fail because nothing can be written. @throws AppError when every call writes, or
   * reading fails too
   */
  #readOnly(calls: readonly StoreCall[], refusal: AppError): StoreOutcome[] {
    const reads = calls.filter((call) => !isWrite(call));
    if (reads.length === 0 || reads.length === calls.length) throw refusal;
    const outcomes = this.perform(reads);
    const refused = { kind: "refused", error: refusal } as const;
    return calls.map((call) => (isWrite(call) ? refused : (outcomes.shift() ?? refused)));
  }

  /** Events of the file since the last call, each reported once. */
  takeNotices(): string[] {
    return this.#notices.splice(0);
  }

  close(): void {
    const { database } = this.#open ?? {};
    this.#open = undefined;
    try {
      database?.close();
    } catch {
      // Acknowledged changes are on the disk.
    }
  }

  #attempt(calls: readonly StoreCall[]): StoreOutcome[] {
    this.#leaveIfReplaced();
    const { database } = (this.#open ??= this.#opened());
    return commitTogether(database, calls, this.#busyMsMax, () => {
      assertNotNewer(database);
      // While it waited for others, one of them may have set the file aside.
      if (!this.#isInPlace()) throw new Replaced();
    });
  }

  #opened(): OpenFile {
    const warn = (message: string): void => void this.#notices.push(message);
    const options = { busyMsMax: this.#busyMsMax, synchronous: "full", isChecked: true } as const;
    const database = openStore(this.#path, { ...options, warn });
    return { database, ...identitiesOf(this.#path) };
  }

  #isInPlace(): boolean {
    const { identity, walIdentity } = identitiesOf(this.#path);
    return identity === this.#open?.identity && walIdentity === this.#open?.walIdentity;
  }

  /** Changes to a file that has lost its name would be acknowledged and lost. */
  #leaveIfReplaced(): void {
    if (this.#open === undefined || this.#isInPlace()) return;
    const identity = identityOf(this.#path);
    const isLogOnly = identity === this.#open.identity;
    const isWhole = isLogOnly && this.#rescueLog(this.#open.database);
    this.close();
    const what = isLogOnly ? `${this.#path}-wal` : this.#path;
    const fate = isWhole || identity === undefined ? "removed" : "replaced";
    const rest = isWhole ? "its content is kept" : "the new file is used";
    this.#notices.push(`${what} was ${fate} while it was in use; ${rest}.`);
  }

  /**
   * Brings acknowledged changes from a log that has lost its name into the file, unless another process has begun a new
   * log: the old one would then read differently from the data written. False in that case, or when it failed.
   */
  #rescueLog(database: Database): boolean {
    const present = statSync(`${this.#path}-wal`, { throwIfNoEntry: false });
    if (present !== undefined && present.size > 0) return false;
    try {
      const query = "PRAGMA wal_checkpoint(TRUNCATE)";
      return database.query<{ busy: number }, []>(query).get()?.busy === 0;
    } catch {
      return false;
    }
  }

  /** After a failure nothing is taken for granted: the next request opens the file again. */
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

  #described(error: unknown): AppError {
    const mayBeKept = error instanceof CommitError && error.mayBeKept;
    const outcome = mayBeKept
      ? "The change may have been saved anyway: check before you repeat it."
      : "Nothing was changed.";
    return storeError(this.#path, reasonOf(error), outcome);
  }
}

/** The file, or its log, is not the one that was opened. */
class Replaced extends Error {
  override readonly name = "Replaced";

  constructor() {
    super("it was replaced while it was in use");
  }
}

function reasonOf(error: unknown): unknown {
  return error instanceof CommitError ? error.reason : error;
}

function identitiesOf(path: string): Pick<OpenFile, "identity" | "walIdentity"> {
  return { identity: identityOf(path), walIdentity: identityOf(`${path}-wal`) };
}
