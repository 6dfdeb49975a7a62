import { userLoginRowsKept, userLoginsListedMax } from "../../base/upstream-limits.ts";
import { parseOwnJson } from "../../base/values.ts";
import { PostgresStore } from "../../state/store/postgres/postgres-store.ts";
import type { PostgresPlace } from "../../state/store/postgres/store-url.ts";
import type { RowKind, SealedRow, SealedRows } from "./login-vault.ts";

interface Known {
  readonly content: string;
  readonly row: SealedRow;
}

/** Rows in the engine of all replicas, each a document. */
export class EngineRows implements SealedRows {
  readonly #store: PostgresStore;
  /** Rows that were read, until they change. */
  readonly #known = new Map<string, Known>();

  constructor(place: PostgresPlace) {
    this.#store = new PostgresStore(place);
  }

  async get(kind: RowKind, key: string): Promise<SealedRow | undefined> {
    const name = nameOf(kind, key);
    const document = await this.#store.call({ method: "documents.get", request: { name } });
    if (document === null) {
      this.#known.delete(name);
      return undefined;
    }
    const { content } = document;
    const known = this.#known.get(name);
    if (known?.content === content) return known.row;
    const row = parseOwnJson<SealedRow>(content);
    if (this.#known.size >= userLoginRowsKept) this.#known.clear();
    this.#known.set(name, { content, row });
    return row;
  }

  async put(row: SealedRow): Promise<void> {
    const name = nameOf(row.kind, row.key);
    const request = { name, version: null, content: JSON.stringify(row) };
    await this.#store.call({ method: "documents.put", request });
  }

  async take(kind: RowKind, key: string): Promise<SealedRow | undefined> {
    const name = nameOf(kind, key);
    const content = await this.#store.call({ method: "documents.take", request: { name } });
    return content === null ? undefined : parseOwnJson(content);
  }

  async list(kind: RowKind): Promise<readonly SealedRow[]> {
    const request = { prefix: nameOf(kind, ""), countMax: userLoginsListedMax };
    const contents = await this.#store.call({ method: "documents.list", request });
    return contents.map((content) => parseOwnJson<SealedRow>(content));
  }

  alone<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return this.#store.alone(`login ${key}`, work);
  }

  /** For tests: the Worker that has it ends with its connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }
}

function nameOf(kind: RowKind, key: string): string {
  return `login/${kind}/${key}`;
}
