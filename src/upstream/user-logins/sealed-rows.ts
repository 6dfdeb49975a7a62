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
  /** The same: the end of the access token, or of the row where it is not a login. Absent: it has none. */
  readonly expiresAt?: number;
  /** See `SecretsKeys.seal`; the purpose is `purposeOf` the row. */
  readonly sealed: string;
}

/** Rows differ in all of these, so a sealed text of one cannot be put into another. */
export function purposeOf({ kind, key, id, owner }: Omit<SealedRow, "sealed">): string {
  return JSON.stringify([kind, key, id, owner]);
}

/**
 * Where logins of principals are kept: files of this machine, or a store that replicas share. It sees nothing that is
 * secret. All methods reject with AppError `system` when it cannot be used.
 */
export interface SealedRows {
  /** The same object until the row changes. */
  get(kind: RowKind, key: string): Promise<SealedRow | undefined>;
  put(row: SealedRow): Promise<void>;
  /** Removes a row and returns it; of several callers at once one gets it. */
  take(kind: RowKind, key: string): Promise<SealedRow | undefined>;
  /** Unordered, without rows that cannot be read. */
  list(kind: RowKind): Promise<readonly SealedRow[]>;
  /** Runs `work` while nobody else does so for this key, in all processes. */
  alone<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
}
