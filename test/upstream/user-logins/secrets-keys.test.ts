import { expect, test } from "bun:test";

import { parseSecretsKeys } from "../../../src/upstream/user-logins/secrets-keys.ts";

const hex = "ab".repeat(32);
const base64 = Buffer.alloc(32, 7).toString("base64");
const base64url = Buffer.alloc(32, 0xfb).toString("base64url");

test.each([
  ["hex", hex],
  ["base64", base64],
  ["base64url", base64url],
  ["a comment and an empty line", `# made in May\n\n  ${hex}  \r\n`],
])("a key in %s seals, and opens for the same purpose only", (_, text) => {
  const keys = parseSecretsKeys(text, "the file");
  const sealed = keys.seal("token", "alice");
  expect([keys.open(sealed, "alice"), keys.open(sealed, "bob"), keys.isCurrent(sealed)]).toEqual([
    "token",
    undefined,
    true,
  ]);
  expect(sealed).not.toContain("token");
  // A nonce makes it another one each time.
  expect(keys.seal("token", "alice")).not.toBe(sealed);
});

test.each([
  ["nothing", "", "There is no key in the file. Make one with: openssl rand -base64 32."],
  ["a comment", "# no key\n", "There is no key in the file."],
  ["a word", "password", "Line 1 of the file is not a key of 32 bytes"],
  ["31 bytes", Buffer.alloc(31, 1).toString("base64"), "Line 1 of the file"],
  ["33 bytes", Buffer.alloc(33, 1).toString("base64"), "Line 1 of the file"],
  ["a bad second line", `${hex}\n${hex}0`, "Line 2 of the file"],
  ["17 keys", `${hex}\n`.repeat(17), "Line 17 of the file"],
])("%s is refused, and not shown", (_, text, message) => {
  expect(() => parseSecretsKeys(text, "the file")).toThrow(message);
  const said = ((): string => {
    try {
      parseSecretsKeys(text, "the file");
      return "";
    } catch (error) {
      return String(error);
    }
  })();
  if (text.length > 8) expect(said).not.toContain(text.slice(0, 20));
});

test("the first key seals, all of them open, and a removed one opens nothing", () => {
  const [old, both, next] = [hex, `${base64}\n${hex}`, base64].map((text) =>
    parseSecretsKeys(text, "the file"),
  );
  const sealed = old?.seal("token", "alice") ?? "";
  expect([both?.open(sealed, "alice"), both?.isCurrent(sealed)]).toEqual(["token", false]);
  expect(next?.open(sealed, "alice")).toBeUndefined();
  expect(next?.open(both?.seal("token", "alice") ?? "", "alice")).toBe("token");
});

test.each(["", ".", "x.y", `${"0".repeat(12)}.AAAA`])("%j is opened by no key", (sealed) => {
  expect(parseSecretsKeys(hex, "the file").open(sealed, "alice")).toBeUndefined();
});
