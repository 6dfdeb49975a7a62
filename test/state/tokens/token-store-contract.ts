import { describe, expect, test } from "bun:test";

import { endedTokenMsMax } from "../../../src/base/limits.ts";
import type { TokenRecord, TokenStore } from "../../../src/state/tokens/token-store.ts";

/** One place of tokens, empty, and two ways to it as two processes have them. */
export interface OpenPair extends AsyncDisposable {
  readonly one: TokenStore;
  readonly other: TokenStore;
}

/** A day in 2026. */
const now = 1_790_000_000_000;
const day = 86_400_000;

function record(label: string, more: Partial<TokenRecord> = {}): TokenRecord {
  return { digest: `digest-${label}`, label, createdAtMs: now, ...more };
}

const sorted = (records: readonly TokenRecord[]): TokenRecord[] =>
  records.toSorted((a, b) => a.digest.localeCompare(b.digest));

/** The promises of TM4 that every store keeps. */
export function tokenStoreContract(name: string, open: () => Promise<OpenPair>): void {
  describe(`TM4: ${name}`, () => {
    test("keeps every member of a record, for the other way too", async () => {
      await using pair = await open();
      expect(await pair.one.list()).toEqual([]);
      const records = [
        record("ada", {
          scopes: ["tools:use", "gh:use"],
          servers: ["github"],
          expiresAtMs: now + 1,
        }),
        record("ben", { scopes: [], servers: [] }),
        record("cy.d_e-1"),
      ];
      for (const each of records) await pair.one.add(each);
      expect(sorted(await pair.one.list())).toEqual(records);
      expect(sorted(await pair.other.list())).toEqual(records);
    });

    test("a change of the other way changes the version, and nothing else does", async () => {
      await using pair = await open();
      await pair.one.add(record("ada"));
      const before = await pair.one.version();
      await pair.other.list();
      expect(await pair.one.version()).toBe(before);
      await pair.other.revoke("nobody", now);
      expect(await pair.one.version()).toBe(before);
      await pair.other.revoke("ada", now);
      expect(await pair.one.version()).not.toBe(before);
    });

    test("a label has one valid token", async () => {
      await using pair = await open();
      await pair.one.add(record("ada"));
      const second = record("ada", { digest: "second" });
      expect(pair.other.add(second)).rejects.toMatchObject({ code: "usage" });
      expect(await pair.one.list()).toEqual([record("ada")]);
      await pair.one.revoke("ada", now);
      await pair.other.add(second);
      const revoked = record("ada", { revokedAtMs: now });
      expect(sorted(await pair.one.list())).toEqual(sorted([revoked, second]));
    });

    test("an expired token makes room for another of its label", async () => {
      await using pair = await open();
      await pair.one.add(record("ada", { expiresAtMs: now + 5 }));
      const next = { digest: "next" };
      const early = pair.one.add(record("ada", { ...next, createdAtMs: now + 4 }));
      expect(early).rejects.toThrow();
      await pair.one.add(record("ada", { ...next, createdAtMs: now + 5 }));
      expect((await pair.other.list()).length).toBe(2);
    });

    test("revoke ends all tokens of a label, those that were replaced too", async () => {
      await using pair = await open();
      await pair.one.add(record("ada"));
      await pair.one.add(record("ben"));
      await pair.one.rotate({ label: "ada", digest: "new", nowMs: now, graceMs: day });
      expect(await pair.other.revoke("ada", now + 1)).toBe(2);
      expect(await pair.other.revoke("ada", now + 2)).toBe(0);
      const ends = (await pair.one.list()).map(
        ({ label, revokedAtMs }) => `${label} ${revokedAtMs}`,
      );
      expect(ends.toSorted()).toEqual([`ada ${now + 1}`, `ada ${now + 1}`, "ben undefined"]);
    });

    test("rotate takes rights and lifetime over, and ends the old one after the grace", async () => {
      await using pair = await open();
      const rights = { scopes: ["a"], servers: ["github"] };
      const old = record("ada", { ...rights, expiresAtMs: now + 30 * day });
      await pair.one.add(old);
      const nowMs = now + 20 * day;
      const made = { digest: "new", label: "ada", ...rights, createdAtMs: nowMs };
      const expected = { ...made, expiresAtMs: nowMs + 30 * day };
      const rotation = { label: "ada", digest: "new", nowMs, graceMs: day };
      expect(await pair.other.rotate(rotation)).toEqual(expected);
      const replaced = { ...old, replacedAtMs: nowMs, expiresAtMs: nowMs + day };
      expect(sorted(await pair.one.list())).toEqual(sorted([replaced, expected]));
    });

    test("rotate never makes an old token last longer, and says where there is none", async () => {
      await using pair = await open();
      await pair.one.add(record("ada", { expiresAtMs: now + 5 }));
      const rotation = { label: "ada", digest: "b", graceMs: day, expiresAtMs: now + day };
      await pair.one.rotate({ ...rotation, nowMs: now });
      expect(sorted(await pair.one.list())).toEqual([
        record("ada", { digest: "b", expiresAtMs: now + day }),
        record("ada", { replacedAtMs: now, expiresAtMs: now + 5 }),
      ]);
      const none = pair.one.rotate({ ...rotation, label: "ben", nowMs: now });
      expect(none).rejects.toMatchObject({ code: "not_found" });
      const late = pair.one.rotate({ ...rotation, digest: "c", nowMs: now + day });
      expect(late).rejects.toMatchObject({ code: "not_found" });
    });

    test("the newest use is kept", async () => {
      await using pair = await open();
      await pair.one.add(record("ada"));
      await pair.one.add(record("ben"));
      const uses = new Map([
        ["digest-ada", now + 5],
        ["digest-nobody", now],
      ]);
      await pair.one.noteUses(uses);
      await pair.other.noteUses(new Map([["digest-ada", now + 4]]));
      expect(sorted(await pair.one.list())).toEqual([
        record("ada", { usedAtMs: now + 5 }),
        record("ben"),
      ]);
    });

    test("of changes at the same time none is lost", async () => {
      await using pair = await open();
      const labels = Array.from({ length: 20 }, (_, at) => `p${at}`);
      await Promise.all(
        labels.map((label, at) => (at % 2 === 0 ? pair.one : pair.other).add(record(label))),
      );
      const found = (await pair.one.list()).map(({ label }) => label);
      expect(found.toSorted()).toEqual(labels.toSorted());
      const twice = await Promise.allSettled([
        pair.one.add(record("ada", { digest: "a" })),
        pair.other.add(record("ada", { digest: "b" })),
      ]);
      expect(twice.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    });

    test("tokens that ended long ago are forgotten, and only these", async () => {
      await using pair = await open();
      await pair.one.add(record("old", { expiresAtMs: now + 1 }));
      await pair.one.add(record("gone"));
      await pair.one.revoke("gone", now + 2);
      await pair.one.add(record("valid"));
      const createdAtMs = now + 1 + endedTokenMsMax;
      await pair.one.add(record("ada", { createdAtMs }));
      const labels = (await pair.other.list()).map(({ label }) => label);
      expect(labels.toSorted()).toEqual(["ada", "gone", "valid"]);
    });
  });
}
