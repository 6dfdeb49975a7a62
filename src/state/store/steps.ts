import type { Database } from "bun:sqlite";

import { AppError } from "../../base/errors.ts";
import { ownValue } from "../../base/values.ts";

/**
 * Made with their first use, without a version of the file: an older program that shares it neither needs nor minds them, and must
 * not be kept out of its tasks.
 */
const sqliteLateTables = {
  used_states: `CREATE TABLE IF NOT EXISTS used_states (
    use_id TEXT PRIMARY KEY, expires_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  documents: `CREATE TABLE IF NOT EXISTS documents (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, content TEXT NOT NULL) STRICT`,
} as const;

type SqlValue = string | number | null;

/**
 * A statement in the SQL that the engines have in common, with `$1`, `$2` … for its values. They are numbered as they first
 * appear: to SQLite they are names, which get their values in that order.
 */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * Work in a transaction that does not know the engine which runs it: it yields statements, and gets the rows of each.
 * SQLite answers at once, PostgreSQL later; the work is written once.
 */
export type Steps<Value> = Generator<Statement, Value, readonly unknown[]>;

/** The SQL in which the engines differ. */
export interface Dialect {
  /** A subquery with the numbers of the JSON array in a value, such as `$2`. */
  numbersIn(placeholder: string): string;
  /** Statements that make tables where migrations do not; undefined where they do. */
  readonly lateTables: typeof sqliteLateTables | undefined;
  /** Behind a SELECT: keeps others from changing the row until the transaction ends. */
  readonly lock: string;
}

export const sqliteDialect: Dialect = {
  lateTables: sqliteLateTables,
  numbersIn: (placeholder) => `SELECT value FROM json_each(${placeholder})`,
  // A transaction that writes has the whole file.
  lock: "",
};

/** The type is that of the columns in `text`. */
export function* rowsOf<Row>(text: string, ...values: SqlValue[]): Steps<readonly Row[]> {
  return ownValue(yield { text, values });
}

/** Undefined when there is none. */
export function* firstOf<Row>(text: string, ...values: SqlValue[]): Steps<Row | undefined> {
  const [first] = yield { text, values };
  return ownValue(first);
}

/** For a statement that returns nothing. */
export function* run(text: string, ...values: SqlValue[]): Steps<void> {
  yield { text, values };
}

/** @throws what the steps throw, and the errors of SQLite */
export function runSteps<Value>(database: Database, steps: Steps<Value>): Value {
  let step = steps.next();
  while (step.done !== true) {
    const { text, values } = step.value;
    step = steps.next(database.query(text).all(...values));
  }
  return step.value;
}

/** @throws AppError when a statement that returns a row in any case has not */
export function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new AppError("system", "The store has lost a row.");
  return value;
}
