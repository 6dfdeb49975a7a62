import { Database, type SQLQueryBindings } from "bun:sqlite";

import { messageOf } from "../base/errors.ts";
import { type FileIdentity, identityOf } from "./file-identity.ts";

export type Sight<Row> =
  /** `row` is null when there is none, as in a file that is not there or is older. */
  | { readonly kind: "seen"; readonly row: Row | null }
  /** The file is there and says nothing now: damaged, or held by another process. */
  | { readonly kind: "unreadable"; readonly reason: string };

/**
 * The store as the main thread may look at it: without waiting for anybody, some ten microseconds long. Reads only;
 * where there is no file none is made.
 */
export class LookFile {
  readonly #path: string;
  #open: { readonly database: Database; readonly identity: FileIdentity } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Never throws. What was acknowledged before the call, in any process, is seen. */
  first<Row>(query: string, ...values: SQLQueryBindings[]): Sight<Row> {
    const identity = identityOf(this.#path);
    if (identity !== this.#open?.identity) this.close();
    if (identity === undefined) return { kind: "seen", row: null };
    try {
      this.#open ??= { database: new Database(this.#path, { readonly: true }), identity };
      return { kind: "seen", row: this.#open.database.query(query).get(...values) as Row | null };
    } catch (error) {
      // A file of an older version, or one that another process is making.
      if (messageOf(error).includes("no such table")) return { kind: "seen", row: null };
      this.close();
      return { kind: "unreadable", reason: `${this.#path}: ${messageOf(error)}` };
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
