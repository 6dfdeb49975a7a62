import { type Dialect, firstOf, rowsOf, run, type Steps } from "./steps.ts";

/** A text that is kept under a name, and how often it was put. */
export interface StoredDocument {
  readonly version: number;
  readonly content: string;
}

export interface DocumentChange {
  readonly version: number | null;
  readonly content: string;
}

const adding = "INSERT INTO documents (name, version, content) VALUES ($1, 1, $2)";

/** The contents of those whose names begin with `prefix`, at most `countMax` of them, in no order. */
export function* listDocuments(
  dialect: Dialect,
  prefix: string,
  countMax: number,
): Steps<string[]> {
  if (!(yield* isThere(dialect, "documents"))) return [];
  const text = `SELECT content FROM documents WHERE substr(name, 1, ${prefix.length}) = $1 LIMIT $2`;
  const rows = yield* rowsOf<StoredDocument>(text, prefix, countMax);
  return rows.map(({ content }) => content);
}

/** Removes it and returns its content; null when there is none. Of several at once one gets it. */
export function* takeDocument(dialect: Dialect, name: string): Steps<string | null> {
  yield* ensureTable(dialect, "documents");
  const text = "DELETE FROM documents WHERE name = $1 RETURNING content";
  return (yield* firstOf<StoredDocument>(text, name))?.content ?? null;
}

/** Null when nothing was ever put. */
export function* getDocument(dialect: Dialect, name: string): Steps<StoredDocument | null> {
  if (!(yield* isThere(dialect, "documents"))) return null;
  const text = "SELECT version, content FROM documents WHERE name = $1";
  return (yield* firstOf<StoredDocument>(text, name)) ?? null;
}

/** 0 when nothing was ever put. */
export function* documentVersion(dialect: Dialect, name: string): Steps<number> {
  if (!(yield* isThere(dialect, "documents"))) return 0;
  const text = "SELECT version FROM documents WHERE name = $1";
  return (yield* firstOf<StoredDocument>(text, name))?.version ?? 0;
}

/** Puts it if it is still the one of `version` (0: none; null: any or none). False when somebody else was quicker. */
export function* putDocument(
  dialect: Dialect,
  name: string,
  { version, content }: DocumentChange,
): Steps<{ isPut: boolean }> {
  yield* ensureTable(dialect, "documents");
  if (version === null) {
    const replacing = "DO UPDATE SET version = documents.version + 1, content = excluded.content";
    yield* run(`${adding} ON CONFLICT (name) ${replacing}`, name, content);
    return { isPut: true };
  }
  const changed = "UPDATE documents SET version = version + 1, content = $1 WHERE name = $2";
  const row =
    version === 0
      ? yield* firstOf(`${adding} ON CONFLICT (name) DO NOTHING RETURNING name`, name, content)
      : yield* firstOf(`${changed} AND version = $3 RETURNING name`, content, name, version);
  return { isPut: row !== undefined };
}

/** Rows this much older than a new one are forgotten: states live for minutes, and clocks differ by less. */
const keptMs = 3_600_000;

/** Records that a state was used. False when it was before: then it must not take effect. */
export function* claimState(
  dialect: Dialect,
  use: string,
  expiresAtMs: number,
): Steps<{ isFirst: boolean }> {
  yield* ensureTable(dialect, "used_states");
  yield* run("DELETE FROM used_states WHERE expires_ms < $1", expiresAtMs - keptMs);
  const text = `INSERT INTO used_states (use_id, expires_ms) VALUES ($1, $2)
    ON CONFLICT (use_id) DO NOTHING RETURNING use_id`;
  const added = yield* firstOf(text, use, expiresAtMs);
  return { isFirst: added !== undefined };
}

type LateTable = keyof NonNullable<Dialect["lateTables"]>;

/** For those who only read: they make nothing. */
function* isThere({ lateTables }: Dialect, table: LateTable): Steps<boolean> {
  if (lateTables === undefined) return true;
  return (yield* firstOf("SELECT 1 FROM sqlite_schema WHERE name = $1", table)) !== undefined;
}

function* ensureTable({ lateTables }: Dialect, table: LateTable): Steps<void> {
  if (lateTables !== undefined) yield* run(lateTables[table]);
}
