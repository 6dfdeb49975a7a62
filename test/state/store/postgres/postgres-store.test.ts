import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";

import { pgCallsWaitingMax } from "../../../../src/base/limits.ts";
import { PostgresStore } from "../../../../src/state/store/postgres/postgres-store.ts";
import { readStoreUrl } from "../../../../src/state/store/postgres/store-url.ts";
import type { TaskReply } from "../../../../src/state/store/tasks/task-records.ts";
import { eventually } from "../../../e2e/harness/conditions.ts";
import { shareOf } from "../../../fixtures/long-run.ts";
import { hasPostgres, Postgres } from "../../../support/engines/postgres.ts";
import { TcpProxy } from "../../../support/engines/tcp-proxy.ts";

const storeAt = (url: string): PostgresStore => new PostgresStore(readStoreUrl(url));
const scope = (name: string) => ({ workspace: "/w", owner: name });
const create = (store: PostgresStore, text: string, owner = ""): Promise<TaskReply> =>
  store.call({
    method: "tasks.perform",
    request: { scope: scope(owner), request: { action: "create", text } },
  });
const textsIn = async (store: PostgresStore, owner = ""): Promise<string[]> =>
  (await store.call({ method: "tasks.export", request: { scope: scope(owner) } })).map(
    ({ text }) => text,
  );
const refusalOf = (refused: Promise<unknown>): Promise<string> =>
  refused.then(
    () => "done",
    (error: Error) => error.message,
  );

describe.skipIf(!hasPostgres)("PostgresStore", () => {
  let postgres: Postgres;
  let proxy: TcpProxy;
  let store: PostgresStore;
  beforeAll(async () => void (postgres = await Postgres.start()));
  afterAll(() => postgres[Symbol.asyncDispose]());
  beforeEach(() => {
    proxy = new TcpProxy(postgres.port);
    store = storeAt(postgres.urlWith({ port: proxy.port }));
  });
  afterEach(async () => {
    proxy[Symbol.dispose]();
    await store[Symbol.asyncDispose]();
  });

  test("one that is refused changes nothing and spoils none of those that wait with it", async () => {
    const asked = Array.from({ length: 200 }, (_, place) =>
      create(store, place % 50 === 25 ? " " : `${place}`, "together"),
    );
    const ends = await Promise.allSettled(asked);
    const ids = ends.flatMap((end) => (end.status === "fulfilled" ? end.value.currentTaskId : []));
    expect(ids).toEqual(Array.from({ length: 196 }, (_, place) => place + 1));
    expect((await textsIn(store, "together")).length).toBe(196);
  });

  test("several replicas: ids of a scope are unique and have no gaps", async () => {
    await using other = storeAt(postgres.url);
    const asked = Array.from({ length: 100 }, (_, place) =>
      create(place % 2 === 0 ? store : other, `${place}`, "several"),
    );
    const ids = (await Promise.all(asked)).map(({ currentTaskId }) => currentTaskId ?? 0);
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, place) => place + 1));
  });

  test.each(["cut-before", "cut-after"] as const)(
    "a connection that dies around COMMIT (%s): the change is done once, and answered",
    async (verdict) => {
      await create(store, "before", verdict);
      let cuts = 3;
      proxy.look = (bytes) => (bytes.includes("COMMIT") && cuts-- > 0 ? verdict : "pass");
      expect(await create(store, "x", verdict)).toMatchObject({ currentTaskId: 2, total: 2 });
      expect(await textsIn(store, verdict)).toEqual(["before", "x"]);
    },
  );

  test("a COMMIT of which nothing is heard any more: the error says that it may be kept", async () => {
    await create(store, "before", "doubt");
    proxy.look = (bytes) => {
      if (bytes.includes("COMMIT")) proxy.isCut = true;
      return "pass";
    };
    const refusal = await refusalOf(create(store, "x", "doubt"));
    expect(refusal).toContain("it did not answer within 0.9 s. The change may have been saved any");
  });

  test("a network that drops everything: refused within a second, for those that wait too; then as before", async () => {
    await create(store, "before", "silent");
    proxy.isCut = true;
    const refusals = await Promise.all(
      Array.from({ length: 20 }, (_, place) => refusalOf(create(store, "x", `silent ${place}`))),
    );
    expect(new Set(refusals).size).toBe(1);
    expect(refusals[0]).toStartWith(
      `PostgreSQL at localhost:${proxy.port} (database postgres) can`,
    );
    proxy.isCut = false;
    while ((await refusalOf(create(store, "after", "silent"))) !== "done") await Bun.sleep(20);
    expect(await textsIn(store, "silent")).toEqual(["before", "after"]);
  });

  test("an engine that is half a second away is slow, and usable", async () => {
    await create(store, "before", "slow");
    proxy.delayMs = 250;
    const replies = await Promise.all([create(store, "a", "slow"), create(store, "b", "slow")]);
    expect(replies.map(({ currentTaskId }) => currentTaskId)).toEqual([2, 3]);
  });

  test("killed again and again under load: nothing acknowledged is lost, nothing is there twice", async () => {
    const acknowledged: string[] = [];
    const over = new AbortController();
    const write = async (writer: number): Promise<void> => {
      for (let place = 0; !over.signal.aborted; place += 1) {
        const text = `${writer} ${place}`;
        if ((await refusalOf(create(store, text, `kills ${writer % 3}`))) === "done") {
          acknowledged.push(text);
        }
      }
    };
    const writers = Array.from({ length: 12 }, (_, writer) => write(writer));
    for (let kill = 0; kill < shareOf(20); kill += 1) {
      const target = acknowledged.length + 30;
      while (acknowledged.length < target) await Bun.sleep(2);
      await postgres.kill();
      await postgres.start();
    }
    over.abort();
    await Promise.all(writers);
    const kept = (
      await Promise.all([0, 1, 2].map((place) => textsIn(store, `kills ${place}`)))
    ).flat();
    expect(new Set(kept).size).toBe(kept.length);
    expect(acknowledged.filter((text) => !kept.includes(text))).toEqual([]);
  }, 120_000);

  test("a scope that somebody keeps busy is refused, and holds up no other", async () => {
    await create(store, "before", "busy");
    const other = postgres.client();
    await other.begin(async (transaction) => {
      await transaction`SELECT * FROM scorpiox.task_scopes WHERE owner = 'busy' FOR UPDATE`;
      const busy = refusalOf(create(store, "x", "busy"));
      expect(await refusalOf(create(store, "x", "not busy"))).toBe("done");
      expect(await busy).toContain(
        "Nothing was changed. Others have been writing to it for a long",
      );
    });
    await other.close();
  });

  test("the records of old transactions are forgotten", async () => {
    await create(store, "before", "old");
    const sql = postgres.client();
    await sql`UPDATE scorpiox.store_changes SET made_at = now() - interval '2 hours'`;
    await using next = new PostgresStore(readStoreUrl(postgres.url), { pruneEveryMs: 0 });
    const left = async (): Promise<number> => {
      await create(next, "after", "old");
      const old = sql`SELECT FROM scorpiox.store_changes WHERE made_at < now() - interval '1 hour'`;
      return (await old).length;
    };
    while ((await left()) > 0) await Bun.sleep(5);
    await sql.close();
  });

  test("more than can be answered in time is refused", async () => {
    proxy.isCut = true;
    const asked = Array.from({ length: pgCallsWaitingMax + 1 }, () =>
      refusalOf(create(store, "x", "many")),
    );
    const last = await asked.at(-1);
    expect(last).toContain(`is behind: ${pgCallsWaitingMax} requests wait for it`);
    await Promise.all(asked);
  });
});

describe.skipIf(!hasPostgres)("PostgreSQL that cannot be used", () => {
  test("is named, with what to do", async () => {
    await using postgres = await Postgres.start({ settings: { max_connections: "6" } });
    const refusal = async (url: string): Promise<string> => {
      await using store = storeAt(url);
      return refusalOf(create(store, "x"));
    };
    const name = `PostgreSQL at localhost:${postgres.port} (database postgres) cannot be used: `;
    expect(await refusal(postgres.urlWith({ password: "wrong" }))).toBe(
      `${name}password authentication failed for user "scorpiox". Nothing was changed. ` +
        "Check the user and the password in STORE_URL, and pg_hba.conf of the engine.",
    );
    expect(await refusal(postgres.urlWith({ query: "?sslmode=require" }))).toBe(
      `${name}Server does not support SSL. Nothing was changed. ` +
        "It offers no TLS: switch TLS on there, or write ?sslmode=disable for a network that you trust.",
    );
    expect(
      await refusal(postgres.url.replace("/postgres", "/postgres").replace(/postgres$/, "none")),
    ).toContain(
      'database "none" does not exist. Nothing was changed. Create the database, or name another',
    );
    const others = Array.from({ length: 6 }, () => postgres.client());
    await Promise.allSettled(others.map((other) => other.connect()));
    const full =
      /(too many clients|remaining connection slots).* Nothing was changed\. Raise max_connections/;
    // On a busy machine even the refusal may take too long.
    await eventually("no connection is free", async () => full.test(await refusal(postgres.url)));
    await Promise.all(others.map((other) => other.close({ timeout: 0 }).catch(() => undefined)));
  });

  test("TLS: demanded and not given, and given with and without a known certificate", async () => {
    await using postgres = await Postgres.start({ tls: "only" });
    const outcome = async (query: string): Promise<string> => {
      await using store = storeAt(postgres.urlWith({ query }));
      return refusalOf(create(store, "x"));
    };
    expect(await outcome("?sslmode=disable")).toContain(
      "no encryption. Nothing was changed. It demands TLS: add ?sslmode=verify-full (or require)",
    );
    expect(await outcome("")).toBe("done");
    expect(await outcome("?sslmode=require")).toBe("done");
    const own = encodeURIComponent(postgres.certificatePath);
    expect(await outcome(`?sslmode=verify-full&sslrootcert=${own}`)).toBe("done");
    expect(await outcome(`?sslmode=verify-ca&sslrootcert=${own}`)).toBe("done");
    expect(await outcome("?sslmode=verify-full")).toContain(
      "Nothing was changed. Name the certificates that vouch for it with sslrootcert in STORE_URL",
    );
  });
});
