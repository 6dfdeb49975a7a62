import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { requestStateCharsMax } from "../../../src/base/limits.ts";
import { StateSeal } from "../../../src/server/ask/state-seal.ts";

const secret = new Uint8Array(32).fill(7);
const sealWith = (bytes: Uint8Array): StateSeal => new StateSeal(() => Promise.resolve(bytes));
const seal = sealWith(secret);

describe("StateSeal", () => {
  test("opens what it has sealed, also by another one with the same secret", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.string(), async (text, purpose) => {
        const sealed = await seal.seal(text, purpose);
        expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(await sealWith(secret).open(sealed, purpose)).toBe(text);
      }),
    );
  });

  test("does not show what it has sealed, and seals it differently each time", async () => {
    const twice = await Promise.all([seal.seal("plain text", ""), seal.seal("plain text", "")]);
    expect(twice[0]).not.toBe(twice[1]);
    expect(Buffer.from(twice[0], "base64url").includes("plain")).toBe(false);
  });

  test("does not open when any bit is another one", async () => {
    const bytes = Buffer.from(await seal.seal('{"a":1}', "p"), "base64url");
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await seal.open(changed.toString("base64url"), "p")).toBeUndefined();
    }
  });

  test("does not open when any character is another one, left out or added", async () => {
    const sealed = await seal.seal('{"a":1}', "p");
    const alphabet = "ABYZabyz0189-_+/= \n.".split("");
    const place = fc.nat(sealed.length - 1);
    const edit = fc.oneof(
      fc.record({ place, kept: fc.constant(1), put: fc.constantFrom(...alphabet, "") }),
      fc.record({ place, kept: fc.constant(0), put: fc.constantFrom(...alphabet) }),
    );
    await fc.assert(
      fc.asyncProperty(edit, async ({ place: at, kept, put }) => {
        const changed = sealed.slice(0, at) + put + sealed.slice(at + kept);
        if (changed !== sealed) expect(await seal.open(changed, "p")).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["nothing", ""],
    ["a blank", " "],
    ["too little", "AAAA"],
    ["no base64url", "!".repeat(100)],
    ["zeros", "A".repeat(100)],
    ["as much as may be", "A".repeat(requestStateCharsMax)],
    ["more", "A".repeat(requestStateCharsMax + 4)],
  ])("does not open %s", async (_what, text) => {
    expect(await seal.open(text, "p")).toBeUndefined();
  });

  test("does not open for another purpose or by another secret", async () => {
    const sealed = await seal.seal("text", "p");
    const other = sealWith(new Uint8Array(32).fill(8));
    expect([await seal.open(sealed, "q"), await other.open(sealed, "p")]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("asks for the secret once, and again only when there was none", async () => {
    let asked = 0;
    const moody = new StateSeal(() => {
      asked += 1;
      return asked === 1 ? Promise.reject(new Error("not now")) : Promise.resolve(secret);
    });
    expect(await moody.seal("a", "").catch(String)).toBe("Error: not now");
    const sealed = await moody.seal("a", "");
    expect([await moody.open(sealed, ""), asked]).toEqual(["a", 2]);
  });
});
