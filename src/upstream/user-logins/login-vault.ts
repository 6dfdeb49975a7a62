import { sha256Hex } from "../../base/digests.ts";
import { userLoginSweepMs } from "../../base/upstream-limits.ts";
import { ownValue, parseOwnJson } from "../../base/values.ts";
import type { Roads } from "../../network/route.ts";
import type { SecretsKeys } from "./secrets-keys.ts";

/** The kinds of rows. */
export type RowKind =
  /** The login of one principal to one server. */
  | "login"
  /** A login that a principal has been asked for: the page of it may be opened. */
  | "request"
  /** A login whose browser is at the authorization server. */
  | "attempt"
  /** A button that ends a login, on the page of a principal's logins. */
  | "ending"
  /** Our registration at an authorization server, for all principals. */
  | "client";

/** One kept thing. All that is secret of it is sealed; the rest is for lists. */
export interface SealedRow {
  readonly kind: RowKind;
  /** 40 digits in hex, unique within its kind. */
  readonly key: string;
  /** Unique for each login, even of the same principal; a renewed token keeps it. */
  readonly id: string;
  /** The id of the principal; empty for `client`. */
  readonly owner: string;
  /** The name of the server's entry. */
  readonly server: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The end of the access token, or of a row that is not a login, in milliseconds since 1970. Absent: it has none. */
  readonly expiresAt?: number;
  /** See `SecretsKeys.seal`; the purpose is `purposeOf` the row. */
  readonly sealed: string;
}

/** Rows differ in all of these, so a sealed text of one cannot be put into another. */
function purposeOf({ kind, key, id, owner }: Omit<SealedRow, "sealed">): string {
  return JSON.stringify([kind, key, id, owner]);
}

/**
 * Where logins of principals are kept: files of this machine, or a store that replicas share. It sees nothing that is
 * secret. All methods reject with AppError `system` when it cannot be used.
 */
export interface SealedRows {
  /** The row of a key, as one object until the row changes. */
  get(kind: RowKind, key: string): Promise<SealedRow | undefined>;
  put(row: SealedRow): Promise<void>;
  /** Removes a row and returns it; of several callers at once one gets it. */
  take(kind: RowKind, key: string): Promise<SealedRow | undefined>;
  /** Unordered, without rows that cannot be read. */
  list(kind: RowKind): Promise<readonly SealedRow[]>;
  /** Runs `work` while nobody else does so for this key, in all processes. */
  alone<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}

interface VaultParts {
  readonly rows: SealedRows;
  readonly keys: SecretsKeys;
  /** Routes to authorization servers. */
  readonly roads: Roads;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Rows that end by themselves: what they are for may never come. */
const passingKinds = ["request", "attempt", "ending"] as const satisfies readonly RowKind[];

type PassingKind = (typeof passingKinds)[number];

/** A row that was opened. */
export interface OpenedRow<Value> {
  readonly row: SealedRow;
  readonly value: Value;
}

/** Seals what is kept of principals, and opens it again; nothing secret is written in clear. */
export class LoginVault {
  readonly roads: Roads;
  readonly clock: () => number;
  readonly #rows: SealedRows;
  readonly #keys: SecretsKeys;
  /** The contents of rows, as long as the rows are remembered. */
  readonly #opened = new WeakMap<SealedRow, unknown>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor({ rows, keys, roads, clock }: VaultParts) {
    this.#rows = rows;
    this.#keys = keys;
    this.roads = roads;
    this.clock = clock;
  }

  /** Undefined also for a row that no present key opens. @throws AppError `system` */
  async get<Value>(kind: RowKind, key: string): Promise<OpenedRow<Value> | undefined> {
    return this.#open(await this.#rows.get(kind, key));
  }

  /** Gets a row as `get` does, and removes it: of several callers at once one gets it. @throws AppError `system` */
  async take<Value>(kind: RowKind, key: string): Promise<OpenedRow<Value> | undefined> {
    return this.#open(await this.#rows.take(kind, key));
  }

  /** @throws AppError `system` */
  async put(row: Omit<SealedRow, "sealed">, value: unknown): Promise<void> {
    await this.#sweep();
    const sealed = this.#keys.seal(JSON.stringify(value), purposeOf(row));
    await this.#rows.put({ ...row, sealed });
  }

  /**
   * Keeps a value under a secret, for `ms` at most.
   * @throws AppError `system`
   */
  async putFor(
    kind: PassingKind,
    secret: string,
    { owner, server }: Pick<SealedRow, "owner" | "server">,
    ms: number,
    value: unknown,
  ): Promise<void> {
    const since = this.clock();
    const key = rowKeyOf(kind, secret);
    await this.put({ kind, key, id: key, owner, server, since, expiresAt: since + ms }, value);
  }

  /** @see SealedRows.alone */
  alone<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return this.#rows.alone(key, work);
  }

  /** Whether the key that seals now has sealed it. */
  isCurrent({ sealed }: SealedRow): boolean {
    return this.#keys.isCurrent(sealed);
  }

  #open<Value>(row: SealedRow | undefined): OpenedRow<Value> | undefined {
    if (row === undefined || this.#isOver(row)) return undefined;
    if (!this.#opened.has(row)) {
      const text = this.#keys.open(row.sealed, purposeOf(row));
      // Only this program can have sealed it.
      this.#opened.set(row, text === undefined ? undefined : parseOwnJson(text));
    }
    const value = this.#opened.get(row);
    return value === undefined ? undefined : { row, value: ownValue<Value>(value) };
  }

  #isOver({ kind, expiresAt }: SealedRow): boolean {
    return kind !== "login" && expiresAt !== undefined && this.clock() >= expiresAt;
  }

  /** Logins that nobody finished leave rows behind. */
  async #sweep(): Promise<void> {
    const now = this.clock();
    if (now < this.#sweptAt + userLoginSweepMs) return;
    this.#sweptAt = now;
    for (const kind of passingKinds) {
      for (const row of await this.#rows.list(kind)) {
        if (this.#isOver(row)) await this.#rows.take(kind, row.key);
      }
    }
  }
}

/** The key of a row. */
export function rowKeyOf(...parts: readonly (string | null)[]): string {
  return sha256Hex(JSON.stringify(parts)).slice(0, 40);
}
