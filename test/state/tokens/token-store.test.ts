import { expect, test } from "bun:test";

import { endedTokenMsMax, storedTokensMax } from "../../../src/base/limits.ts";
import { type TokenRecord, statusOf, withAdded } from "../../../src/state/tokens/token-store.ts";

const now = 1_790_000_000_000;

function records(count: number, more: Partial<TokenRecord> = {}): readonly TokenRecord[] {
  return Array.from({ length: count }, (_, at) => ({
    digest: `d${at}`,
    label: `p${at}`,
    createdAtMs: now,
    ...more,
  }));
}

const ada = { digest: "ada", label: "ada", createdAtMs: now };

test("TM4: as many tokens as there may be, and not one more", () => {
  expect(withAdded(records(storedTokensMax - 1), ada).length).toBe(storedTokensMax);
  expect(() => withAdded(records(storedTokensMax), ada)).toThrow(/the most that are kept/);
  const ended = records(storedTokensMax, { revokedAtMs: now - endedTokenMsMax });
  expect(withAdded(ended, ada)).toEqual([ada]);
});

test.each<[more: Partial<TokenRecord>, status: string]>([
  [{}, "valid"],
  [{ expiresAtMs: now + 1 }, "valid"],
  [{ expiresAtMs: now }, "expired"],
  [{ replacedAtMs: now, expiresAtMs: now + 1 }, "replaced"],
  [{ replacedAtMs: now, expiresAtMs: now }, "expired"],
  [{ revokedAtMs: now, expiresAtMs: now }, "revoked"],
])("TM4: a token with %j is %s", (more, status) => {
  expect(statusOf({ ...ada, ...more }, now)).toBe(status as never);
});
