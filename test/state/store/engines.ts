import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError } from "../../../src/base/errors.ts";
import { PostgresStore } from "../../../src/state/store/postgres/postgres-store.ts";
import { readStoreUrl } from "../../../src/state/store/postgres/store-url.ts";
import { StoreFile } from "../../../src/state/store/store-file.ts";
import type { StoreCall, StoreReply } from "../../../src/state/store/store-methods.ts";
import { hasPostgres, Postgres } from "../../support/engines/postgres.ts";

/** An engine as callers see it: what is tested with one is tested with all. */
export interface StoreEngine extends AsyncDisposable {
  call<Call extends StoreCall>(call: Call): Promise<StoreReply<Call["method"]>>;
}

/** Each of the engines, new and empty. */
export const storeEngines: [string, () => Promise<StoreEngine>][] = [
  ["SQLite", openSqlite],
  ...(hasPostgres ? [["PostgreSQL", openPostgres] as [string, () => Promise<StoreEngine>]] : []),
];

async function openSqlite(): Promise<StoreEngine> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-engine-"));
  const file = new StoreFile(join(folder, "scorpiox.db"));
  return {
    async call<Call extends StoreCall>(call: Call) {
      const [outcome] = file.perform([call]);
      if (outcome?.kind !== "done") throw outcome?.error ?? new AppError("system", "no outcome");
      return outcome.value as StoreReply<Call["method"]>;
    },
    async [Symbol.asyncDispose]() {
      file.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openPostgres(): Promise<StoreEngine> {
  const postgres = await Postgres.start();
  const store = new PostgresStore(readStoreUrl(postgres.url));
  return {
    call: (call) => store.call(call),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
    },
  };
}
