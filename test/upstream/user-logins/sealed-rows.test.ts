import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readStoreUrl } from "../../../src/state/store/postgres/store-url.ts";
import { EngineRows } from "../../../src/upstream/user-logins/engine-rows.ts";
import { RowFiles } from "../../../src/upstream/user-logins/row-files.ts";
import type { SealedRow, SealedRows } from "../../../src/upstream/user-logins/login-vault.ts";
import { hasPostgres, Postgres } from "../../support/engines/postgres.ts";

/** Two ways to one place, as two processes have them. */
interface Pair extends AsyncDisposable {
  readonly one: SealedRows;
  readonly other: SealedRows;
}

async function openFiles(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-rows-"));
  return {
    one: new RowFiles(join(folder, "user-logins")),
    other: new RowFiles(join(folder, "user-logins")),
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true }),
  };
}

async function openEngine(): Promise<Pair> {
  const postgres = await Postgres.start();
  const place = readStoreUrl(postgres.url);
  const [one, other] = [new EngineRows(place), new EngineRows(place)];
  return {
    one,
    other,
    async [Symbol.asyncDispose]() {
      for (const rows of [one, other]) await rows[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
    },
  };
}

const keyOf = (digit: string): string => digit.repeat(40);
const row = (digit: string, more: Partial<SealedRow> = {}): SealedRow => ({
  kind: "login",
  key: keyOf(digit),
  id: `id ${digit}`,
  owner: "token:ada",
  server: "github",
  since: 1_764_000_000_000,
  sealed: "sealed",
  ...more,
});

const places: [string, () => Promise<Pair>][] = [
  ["files", openFiles],
  ...(hasPostgres ? [["PostgreSQL", openEngine] as [string, () => Promise<Pair>]] : []),
];

describe.each(places)("TM2: rows in %s", (_name, open) => {
  let pair: Pair;
  beforeAll(async () => void (pair = await open()));
  afterAll(() => pair[Symbol.asyncDispose]());

  test("keep every member, for the other process too, and are replaced as a whole", async () => {
    expect(await pair.one.get("login", keyOf("a"))).toBeUndefined();
    const first = row("a", { expiresAt: 5 });
    await pair.one.put(first);
    expect(await pair.other.get("login", keyOf("a"))).toEqual(first);
    await pair.other.put(row("a", { sealed: "renewed" }));
    expect(await pair.one.get("login", keyOf("a"))).toEqual(row("a", { sealed: "renewed" }));
    expect(await pair.one.get("attempt", keyOf("a"))).toBeUndefined();
  });

  test("are the same object until they change", async () => {
    await pair.one.put(row("b"));
    const known = await pair.one.get("login", keyOf("b"));
    expect(await pair.one.get("login", keyOf("b"))).toBe(known);
    await pair.other.take("login", keyOf("b"));
    await pair.other.put(row("b", { id: "another" }));
    expect((await pair.one.get("login", keyOf("b")))?.id).toBe("another");
  });

  test("are taken once", async () => {
    await pair.one.put(row("c", { kind: "request" }));
    const taken = await Promise.all(
      [pair.one, pair.other, pair.one].map((rows) => rows.take("request", keyOf("c"))),
    );
    expect(taken.filter((each) => each !== undefined)).toEqual([row("c", { kind: "request" })]);
    expect(await pair.other.take("request", keyOf("c"))).toBeUndefined();
  });

  test("are listed by kind", async () => {
    for (const digit of ["d", "e"]) await pair.one.put(row(digit, { kind: "client" }));
    const keys = (await pair.other.list("client")).map(({ key }) => key);
    expect(keys.toSorted()).toEqual([keyOf("d"), keyOf("e")]);
    expect(await pair.one.list("attempt")).toEqual([]);
  });

  test("one at a time works on a key, and what the work throws is thrown", async () => {
    let working = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, (working += 1));
      const { sealed } = (await pair.one.get("login", keyOf("f"))) ?? row("f", { sealed: "0" });
      await pair.one.put(row("f", { sealed: String(Number(sealed) + 1) }));
      working -= 1;
    };
    const rows = [pair.one, pair.other, pair.one, pair.other, pair.one, pair.other];
    await Promise.all(rows.map((each) => each.alone(keyOf("f"), work)));
    expect(most).toBe(1);
    expect((await pair.other.get("login", keyOf("f")))?.sealed).toBe("6");
    const failing = pair.one.alone(keyOf("f"), () => Promise.reject(new Error("its own")));
    expect(await failing.catch((error: Error) => error.message)).toBe("its own");
  });
});
