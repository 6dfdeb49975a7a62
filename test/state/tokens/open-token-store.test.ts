import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { readStoreUrl } from "../../../src/state/store/postgres/store-url.ts";
import { StoredTokens } from "../../../src/server/auth/stored-tokens.ts";
import { EngineTokenStore, hasEngineTokens } from "../../../src/state/tokens/open-token-store.ts";
import { makeToken, tokenDigest } from "../../../src/state/tokens/token-store.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { hasPostgres, Postgres } from "../../support/engines/postgres.ts";
import { tokenStoreContract } from "./token-store-contract.ts";

describe.skipIf(!hasPostgres)("made tokens in PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => void (postgres = await Postgres.start()));
  afterAll(() => postgres[Symbol.asyncDispose]());

  async function forget(): Promise<void> {
    const sql = postgres.client();
    await sql`DROP SCHEMA IF EXISTS scorpiox CASCADE`;
    await sql.close();
  }

  tokenStoreContract("PostgreSQL", async () => {
    await forget();
    const place = readStoreUrl(postgres.url);
    const [one, other] = [new EngineTokenStore(place), new EngineTokenStore(place)];
    return {
      one,
      other,
      [Symbol.asyncDispose]: async () => {
        for (const store of [one, other]) await store[Symbol.asyncDispose]();
      },
    };
  });

  test("of many changes at the same time all count, and none before the first token", async () => {
    await forget();
    const place = readStoreUrl(postgres.url);
    expect(await hasEngineTokens(place)).toBe(false);
    const stores = Array.from({ length: 4 }, () => new EngineTokenStore(place));
    const labels = Array.from({ length: 12 }, (_, number) => `person-${number}`);
    await Promise.all(
      labels.map(async (label, number) => {
        await stores[number % 4]?.add({ digest: label, label, createdAtMs: Date.now() });
      }),
    );
    const kept = (await stores[0]?.list())?.map(({ label }) => label).toSorted();
    expect(kept).toEqual(labels.toSorted());
    expect(await hasEngineTokens(place)).toBe(true);
    for (const store of stores) await store[Symbol.asyncDispose]();
  });

  test("a revocation reaches every replica by its next look; an engine that is away sends nobody away", async () => {
    await forget();
    const place = readStoreUrl(postgres.url);
    await using changing = new EngineTokenStore(place);
    const [ada, bob] = [makeToken(), makeToken()];
    await changing.add({ digest: tokenDigest(ada), label: "ada", createdAtMs: Date.now() });
    await changing.add({ digest: tokenDigest(bob), label: "bob", createdAtMs: Date.now() });
    const warnings: string[] = [];
    const options = { warn: (text: string) => void warnings.push(text), lookMs: 1_000_000 };
    await using reading = new EngineTokenStore(place);
    await using replica = await StoredTokens.open(reading, options);
    const kindOf = (token: string): string | undefined => replica.find(token)?.kind;
    expect([ada, bob].map(kindOf)).toEqual(["accepted", "accepted"]);
    await changing.revoke("bob", Date.now());
    await replica.look();
    expect([ada, bob].map(kindOf)).toEqual(["accepted", "ended"]);
    await postgres.kill();
    await replica.look();
    expect(kindOf(ada)).toBe("accepted");
    expect(warnings.join()).toContain("PostgreSQL at localhost");
    await postgres.start();
    await changing.revoke("ada", Date.now());
    // The first look may meet the connection that was lost.
    await eventually("the revocation is seen", async () => {
      await replica.look();
      return kindOf(ada) === "ended";
    });
  });
});
