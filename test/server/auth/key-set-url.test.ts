import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { messageOf } from "../../../src/base/errors.ts";
import {
  describeKeySetUrl,
  fetchKeySet,
  parseKeySetUrl,
} from "../../../src/server/auth/remote-key-set.ts";

const folder = mkdtempSync(join(tmpdir(), "key-set-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("parseKeySetUrl()", () => {
  test.each([
    "https://as.example/keys",
    "http://127.0.0.1:8080/keys",
    "http://[::1]/keys",
    "http://localhost/keys",
    "file:///etc/keys.json",
  ])("%p is taken", (text) => {
    expect(parseKeySetUrl(text).href).toBe(text);
  });

  test.each([
    ["keys.json", '"keys.json" is not a URL: write https://… or file:///…'],
    ["http://as.example/keys", '"http://as.example/keys" is not encrypted: use https'],
    [
      "http://127.0.0.1.evil.example/",
      '"http://127.0.0.1.evil.example/" is not encrypted: use https',
    ],
    ["file://other/keys", '"file://other/keys" names another machine: write file:///…'],
    ["data:application/json,{}", '"data:application/json,{}" has an unsupported scheme: use https'],
    ["https://me:secret@as.example/", "holds a user name or password: remove it, keys are public"],
  ])("%p is refused", (text, what) => {
    expect(() => parseKeySetUrl(text)).toThrow(`The address of the key set ${what}.`);
  });

  test("messages name it without its query", () => {
    expect(describeKeySetUrl(new URL("https://as.example/keys?code=secret"))).toBe(
      "https://as.example/keys",
    );
  });
});

describe("fetchKeySet() of a file", () => {
  const path = join(folder, "keys.json");
  const fetchFile = (file = path) => fetchKeySet(pathToFileURL(file), 1000);

  test.each([262_143, 262_144, 262_145])("of %d bytes: 262144 is the most", async (size) => {
    writeFileSync(path, '{"keys":[]}'.padEnd(size));
    if (size <= 262_144) return expect(await fetchFile()).toEqual({ keys: [] });
    expect(await fetchFile().catch(messageOf)).toBe("it is larger than 262144 bytes");
  });

  test.each([
    [folder, "it is not a regular file"],
    [join(folder, "none"), "it cannot be reached (ENOENT)"],
  ])("%p is refused", async (file, message) => {
    expect(await fetchFile(file).catch(messageOf)).toBe(message);
  });
});
