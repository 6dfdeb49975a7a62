import { describe, expect, test } from "bun:test";

import { shareOf } from "../../../../scripts/verify/shell/shares.ts";
import { ordinaryCommands } from "../../../../scripts/verify/shell/usual-texts.ts";

describe("readShell reads what people and models write", () => {
  const kinds = ordinaryCommands();

  test("500 commands of 25 kinds", () => {
    expect(kinds.map(({ texts }) => texts.length)).toEqual(Array.from({ length: 25 }, () => 20));
  });

  test.each(kinds.map((kind) => [kind.name, kind] as const))(
    "%s: four of five at least",
    (_name, kind) => {
      const { read, all, unread } = shareOf(kind);
      expect([unread, read >= 0.8 * all]).toEqual([unread, true]);
    },
  );

  test("95 of 100 of them all", () => {
    const { read, all } = shareOf({ name: "all", texts: kinds.flatMap(({ texts }) => texts) });
    expect(read).toBeGreaterThanOrEqual(0.95 * all);
  });
});
