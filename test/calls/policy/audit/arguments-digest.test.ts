import { describe, expect, test } from "bun:test";

import { auditDigestCharsAtOnce } from "../../../../src/base/limits.ts";
import { ArgumentsDigest } from "../../../../src/calls/policy/audit/arguments-digest.ts";
import { canonicalJson } from "../../../../src/base/values.ts";

/** The digest, and how often it stopped on the way. */
function digested(args: unknown): [string, number] {
  const digest = new ArgumentsDigest(args);
  for (let stops = 0; ; stops++) {
    const found = digest.next();
    if (found !== undefined) return [found, stops];
  }
}

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("hex");

describe("ArgumentsDigest (U-audit)", () => {
  const long = 'x😀"\n'.repeat(auditDigestCharsAtOnce);
  test.each<[string, unknown, boolean]>([
    ["nothing", {}, false],
    ["usual ones", { timeout: 5, command: "ls", a: [1, { c: null, b: true }, []] }, false],
    ["a long text", { command: long, z: 1 }, true],
    ["one of halves", { command: `y${"\ud83d".repeat(2 * auditDigestCharsAtOnce)}` }, true],
    ["many values", { list: Array.from({ length: 100_000 }, (_, index) => ({ index })) }, true],
    ["deep ones", JSON.parse(`${"[".repeat(1000)}${"]".repeat(1000)}`), false],
  ])("is that of the canonical JSON: %s", (_what, args, isStopped) => {
    const [digest, stops] = digested(args);
    expect([digest, stops > 0]).toEqual([sha256(canonicalJson(args)), isStopped]);
  });

  test("takes names that are numbers in the order of their characters too", () => {
    expect(digested({ "9": 2, "10": 1 })).toEqual([sha256('{"10":1,"9":2}'), 0]);
  });
});
