import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Connections, Patience } from "../../../../src/state/store/postgres/connections.ts";
import {
  migratePostgres,
  postgresMigrations,
} from "../../../../src/state/store/postgres/postgres-schema.ts";
import { PostgresStore } from "../../../../src/state/store/postgres/postgres-store.ts";
import { readStoreUrl } from "../../../../src/state/store/postgres/store-url.ts";
import { hasPostgres, Postgres } from "../../../support/engines/postgres.ts";

const schemas = join(import.meta.dir, "schemas");
const versions = readdirSync(schemas).sort((a, b) => Number.parseInt(a) - Number.parseInt(b));

describe.skipIf(!hasPostgres)("the schema in PostgreSQL", () => {
  let postgres: Postgres;
  let databases = 0;
  beforeAll(async () => void (postgres = await Postgres.start()));
  afterAll(() => postgres[Symbol.asyncDispose]());

  /** The URL of a new database. */
  async function newDatabase(): Promise<string> {
    const name = `database_${(databases += 1)}`;
    const sql = postgres.client();
    await sql.unsafe(`CREATE DATABASE ${name}`);
    await sql.close();
    return postgres.url.replace(/postgres$/, name);
  }

  async function run(url: string, sql: string): Promise<void> {
    const client = new Bun.SQL(url, { max: 1 });
    await client.unsafe(sql).simple();
    await client.close();
  }

  async function migrate(url: string, migrations = postgresMigrations): Promise<void> {
    await using connections = new Connections(readStoreUrl(url));
    await connections.use(new Patience(), (connection) =>
      migratePostgres(connection, "PostgreSQL", migrations),
    );
  }

  /** Everything that a migration may make, apart from the rows. */
  async function catalogOf(url: string): Promise<unknown[]> {
    const client = new Bun.SQL(url, { max: 1 });
    const rows: unknown[] = await client`
      SELECT table_name AS "table", column_name AS "what", data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') AS "how"
        FROM information_schema.columns WHERE table_schema = 'scorpiox'
      UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'scorpiox'
      UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'scorpiox'::regnamespace
      ORDER BY 1, 2, 3`;
    await client.close();
    return [...rows];
  }

  const create = (store: PostgresStore, owner: string): Promise<number | null> =>
    store
      .call({
        method: "tasks.perform",
        request: { scope: { workspace: "/w", owner }, request: { action: "create", text: "c" } },
      })
      .then(({ currentTaskId }) => currentTaskId);

  test("each version is kept as SQL", () => {
    expect(versions).toEqual(postgresMigrations.map((_migration, place) => `${place + 1}.sql`));
  });

  test.each(versions)(
    "from %s: the schema is that of a new database, and what was kept is there",
    async (file) => {
      const [old, fresh, newest] = [await newDatabase(), await newDatabase(), await newDatabase()];
      await run(old, readFileSync(join(schemas, file), "utf8"));
      await migrate(fresh, postgresMigrations.slice(0, Number.parseInt(file)));
      expect(await catalogOf(old)).toEqual(await catalogOf(fresh));
      await migrate(newest);
      await using store = new PostgresStore(readStoreUrl(old));
      expect(await create(store, `of version ${Number.parseInt(file)}`)).toBe(3);
      expect(await catalogOf(old)).toEqual(await catalogOf(newest));
    },
  );

  test("ten replicas that start at once migrate once", async () => {
    const url = await newDatabase();
    const stores = Array.from({ length: 10 }, () => new PostgresStore(readStoreUrl(url)));
    // Ten that start on a busy machine may not all be connected within a second.
    const created = async (store: PostgresStore): Promise<number | null> => {
      for (;;) {
        try {
          return await create(store, "");
        } catch (error) {
          if (!String(error).includes("Nothing was changed. Check that it runs")) throw error;
        }
      }
    };
    const ids = await Promise.all(stores.map(created));
    expect(ids.map(Number).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    for (const store of stores) await store[Symbol.asyncDispose]();
  });

  const known = postgresMigrations.length;
  const expanding = { oldestProgram: known, sql: "ALTER TABLE tasks ADD COLUMN due text" };
  const contracting = { oldestProgram: known + 1, sql: "ALTER TABLE tasks DROP COLUMN due" };

  test("a schema of a newer version: used while it fits, and refused by name when it does not", async () => {
    const url = await newDatabase();
    await using running = new PostgresStore(readStoreUrl(url));
    expect(await create(running, "")).toBe(1);
    await migrate(url, [...postgresMigrations, expanding]);
    await using late = new PostgresStore(readStoreUrl(url));
    expect(await create(late, "")).toBe(2);
    expect(await create(running, "")).toBe(3);
    await migrate(url, [...postgresMigrations, expanding, contracting]);
    await using tooLate = new PostgresStore(readStoreUrl(url));
    const refusal =
      "a newer version of scorpiox-code has changed its schema. Update scorpiox-code and restart the server.";
    for (const store of [running, late, tooLate]) {
      expect(await create(store, "").catch((error: Error) => error.message)).toEndWith(refusal);
    }
  });

  test("writing goes on while a newer version migrates", async () => {
    const url = await newDatabase();
    await using store = new PostgresStore(readStoreUrl(url));
    const ids: (number | null)[] = [];
    const migrated = new AbortController();
    const migrating = migrate(url, [...postgresMigrations, expanding]).finally(() => {
      migrated.abort();
    });
    do ids.push(await create(store, ""));
    while (!migrated.signal.aborted);
    await migrating;
    expect(ids).toEqual(ids.map((_id, place) => place + 1));
  });

  test("a migration that fails changes nothing", async () => {
    const url = await newDatabase();
    const broken = { oldestProgram: 1, sql: "CREATE TABLE half (x int); SELECT 1 / 0" };
    const failed = await migrate(url, [...postgresMigrations, broken]).catch(String);
    expect(failed).toContain("division by zero");
    await migrate(url);
    expect(JSON.stringify(await catalogOf(url))).not.toContain("half");
  });
});
