import { constants, Database, type SQLQueryBindings } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";

import { messageOf, systemCodeOf } from "../../base/errors.ts";
import { storeFileLookMs } from "../../base/limits.ts";
import type { StateScope } from "../../base/server-events.ts";
import { type ActivePlan, planQuery } from "./plans.ts";

type Sight<Row> =
  /** `row` is null when it does not exist, as in a missing or older file. */
  | { readonly kind: "seen"; readonly row: Row | null }
  /** The file is there and says nothing now: damaged, or held by another process. */
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * The main thread's view of the store: it never waits, and takes some ten microseconds. Reads only; a missing file is
 * not created.
 */
class LookFile {
  readonly #path: string;
  readonly #lookMs: number;
  #open: { readonly database: Database; readonly identity: FileIdentity } | undefined;
  /** When it was last looked whether the open file is still the one at this path. */
  #lookedAt = 0;

  constructor(path: string, lookMs: number) {
    this.#path = path;
    this.#lookMs = lookMs;
  }

  /**
   * Never throws. Sees all changes acknowledged before the call, in any process; another file that has taken the place of
   * the open one, as after damage, within `storeFileLookMs`.
   */
  first<Row>(query: string, ...values: SQLQueryBindings[]): Sight<Row> {
    const identity = this.#identity();
    if (identity === undefined) return { kind: "seen", row: null };
    try {
      this.#open ??= { database: new Database(this.#path, { readonly: true }), identity };
      return firstIn(this.#open.database, query, values);
    } catch (error) {
      // Or one that another process is making.
      if (isOfOlderVersion(error)) return { kind: "seen", row: null };
      this.close();
      if (!this.#isAtRest(error)) return this.#unreadable(error);
    }
    try {
      return this.#firstAtRest(query, values);
    } catch (error) {
      return isOfOlderVersion(error) ? { kind: "seen", row: null } : this.#unreadable(error);
    }
  }

  /** The identity of the file to read; closes one that is not there any more. */
  #identity(): FileIdentity {
    const now = performance.now();
    const known = this.#open?.identity;
    if (known !== undefined && now < this.#lookedAt + this.#lookMs) return known;
    this.#lookedAt = now;
    const identity = identityOf(this.#path);
    if (identity !== known) this.close();
    return identity;
  }

  #unreadable(error: unknown): { readonly kind: "unreadable"; readonly reason: string } {
    return { kind: "unreadable", reason: `${this.#path}: ${messageOf(error)}` };
  }

  /**
   * SQLite makes a file beside the database for every reader, which a read-only folder does not allow.
   * Without a log everything is in the database itself, and no process that may not write here changes it.
   */
  #isAtRest(error: unknown): boolean {
    const isRefused = /^SQLITE_(READONLY|CANTOPEN)/.test(String(systemCodeOf(error)));
    return isRefused && !existsSync(`${this.#path}-wal`);
  }

  #firstAtRest<Row>(query: string, values: readonly SQLQueryBindings[]): Sight<Row> {
    const uri = `${Bun.pathToFileURL(this.#path).href}?immutable=1`;
    const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
    const database = new Database(uri, flags);
    try {
      return firstIn(database, query, values);
    } finally {
      database.close();
    }
  }

  close(): void {
    const { database } = this.#open ?? {};
    this.#open = undefined;
    try {
      database?.close();
    } catch {
      // Nothing was written through it.
    }
  }
}

function firstIn<Row>(
  database: Database,
  query: string,
  values: readonly SQLQueryBindings[],
): Sight<Row> {
  return { kind: "seen", row: database.query<Row, SQLQueryBindings[]>(query).get(...values) };
}

function isOfOlderVersion(error: unknown): boolean {
  return messageOf(error).includes("no such table");
}

/** The identity of a file while it exists, wherever it is moved to; undefined = no file. */
export type FileIdentity = string | undefined;

/** Never throws: an inaccessible file is treated as gone. Does not open it, which would cost SQLite its locks. */
export function identityOf(path: string): FileIdentity {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

export type PlanSight =
  /** `plan` is null when plan mode is not active. */
  | { readonly kind: "seen"; readonly plan: ActivePlan | null }
  /** The file is there and says nothing now: damaged, or held by another process. */
  | { readonly kind: "unreadable"; readonly reason: string }
  /** The store is in an engine, which has to be asked. */
  | { readonly kind: "remote" };

/** In place of a `PlanLook` where the store is in no file. */
export const engineIsAsked: Pick<PlanLook, "look"> & Disposable = {
  look: () => ({ kind: "remote" }),
  [Symbol.dispose]: () => undefined,
};

/** Looks which plan is active: every command asks, and another process may have entered plan mode. */
export class PlanLook implements Disposable {
  readonly #file: LookFile;

  constructor(path: string, fileLookMs = storeFileLookMs) {
    this.#file = new LookFile(path, fileLookMs);
  }

  /** Never throws and never waits; see `LookFile`. */
  look({ workspace, owner }: StateScope): PlanSight {
    const sight = this.#file.first<ActivePlan>(planQuery, workspace, owner);
    return sight.kind === "seen" ? { kind: "seen", plan: sight.row } : sight;
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}

/** The revision of a scope by workspace and owner, for callers that only look. */
const revisionQuery = "SELECT revision FROM task_scopes WHERE workspace = ? AND owner = ?";

/** Looks whether the tasks of a scope have changed, in whichever process. */
export class TaskLook implements Disposable {
  readonly #file: LookFile;

  constructor(path: string, fileLookMs = storeFileLookMs) {
    this.#file = new LookFile(path, fileLookMs);
  }

  /** Counts changes; undefined while the file cannot be read. Never throws and never waits; see `LookFile`. */
  revision({ workspace, owner }: StateScope): number | undefined {
    const sight = this.#file.first<{ revision: number }>(revisionQuery, workspace, owner);
    return sight.kind === "seen" ? (sight.row?.revision ?? 0) : undefined;
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
