import { expect, test } from "bun:test";
import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";

import { FileTokenStore } from "../../../src/state/tokens/file-token-store.ts";
import { makeToken, tokenDigest } from "../../../src/state/tokens/token-store.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";
import { posixTest } from "../../e2e/harness/platform.ts";
import { tokenStoreContract } from "./token-store-contract.ts";

tokenStoreContract("a file", async () => {
  const folder = new TempFolder();
  const file = folder.at("http-tokens.json");
  return {
    one: new FileTokenStore(file),
    other: new FileTokenStore(file),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
});

const ada = { digest: "d", label: "ada", createdAtMs: 1 };

posixTest(
  "the file is for its user alone, and nothing is left beside it but the lock",
  async () => {
    using folder = new TempFolder();
    const file = folder.at("http-tokens.json");
    await new FileTokenStore(file).add(ada);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(readdirSync(folder.path).toSorted()).toEqual([
      "http-tokens.json",
      "http-tokens.json.lock",
    ]);
  },
);

test("the leavings of a killed writer are removed with the next change", async () => {
  using folder = new TempFolder();
  const file = folder.at("http-tokens.json");
  writeFileSync(folder.at(".http-tokens.json.0-0.tmp"), "half");
  await new FileTokenStore(file).add(ada);
  expect(readdirSync(folder.path)).not.toContain(".http-tokens.json.0-0.tmp");
});

test.each<[string, string]>([
  ["nothing", ""],
  ["half of a file", '{"version": 1, "tokens": ['],
  ["another version", '{"version": 2, "tokens": []}'],
  ["another shape", '{"version": 1, "tokens": [{"digest": "d"}]}'],
  [
    "scopes of another kind",
    '{"version": 1, "tokens": [{"digest": "d", "label": "a", "createdAtMs": 1, "scopes": "x"}]}',
  ],
])("%s is refused and not written over", async (_, text) => {
  using folder = new TempFolder();
  const file = folder.write("http-tokens.json", text, 0o600);
  const store = new FileTokenStore(file);
  expect(store.list()).rejects.toMatchObject({ code: "config" });
  expect(store.add(ada)).rejects.toMatchObject({ code: "config" });
  expect(readFileSync(file, "utf8")).toBe(text);
});

posixTest.each([0o640, 0o604, 0o620, 0o602])("mode %o is refused with the remedy", async (mode) => {
  using folder = new TempFolder();
  const file = folder.at("http-tokens.json");
  const store = new FileTokenStore(file);
  await store.add(ada);
  chmodSync(file, mode);
  expect(store.list()).rejects.toThrow(`chmod 600 ${file}`);
  expect(store.revoke("ada", 2)).rejects.toThrow("chmod 600");
});

posixTest("a link that leads nowhere is not an empty list", async () => {
  using folder = new TempFolder();
  const file = folder.at("http-tokens.json");
  symlinkSync(folder.at("nowhere"), file);
  expect(new FileTokenStore(file).list()).rejects.toMatchObject({ code: "config" });
});

test("a made token has its prefix and 256 bits; its digest says nothing of it", () => {
  const tokens = Array.from({ length: 100 }, makeToken);
  for (const token of tokens) expect(token).toMatch(/^scx_[\w-]{43}$/);
  expect(new Set(tokens).size).toBe(100);
  expect(tokenDigest("abc")).toBe("ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
});
