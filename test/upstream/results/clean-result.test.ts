import { describe, expect, test } from "bun:test";

import { ownUri, readForeignUri } from "../../../src/upstream/results/clean-result.ts";

const rows: readonly (readonly [server: string, uri: string, ours: string])[] = [
  ["files", "file:///a/b.txt", "scorpiox://mcp/files/file:///a/b.txt"],
  ["files", "file:///a/{path}", "scorpiox://mcp/files/file:///a/{path}"],
  ["a.b", "ui://widget/main.html", "ui://a.b.scorpiox/widget/main.html"],
  ["a", "ui://", "ui://a.scorpiox/"],
  ["kit", "skill://write/SKILL.md", "skill://kit/write/SKILL.md"],
  ["a", "", "scorpiox://mcp/a/"],
  ["a", "scorpiox://mcp/b/x:y", "scorpiox://mcp/a/scorpiox://mcp/b/x:y"],
  ["a", "UI://X", "scorpiox://mcp/a/UI://X"],
];

describe("ownUri()", () => {
  test.each(rows)("of %s, %s, is %s, and readForeignUri() is its inverse", (server, uri, ours) => {
    expect(ownUri(server, uri)).toBe(ours);
    expect(readForeignUri(ours)).toEqual({ server, uri });
  });

  test("[GW-41] inverts for 1,000 random URIs and templates", () => {
    const parts = [
      "/",
      ":",
      "//",
      "{+p}",
      "ui://",
      "skill://",
      "scorpiox://mcp/",
      "ü",
      "%2F",
      "a.",
      "?q=1",
      "#x",
    ];
    let seed = 7;
    const next = (max: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % max;
    };
    for (let run = 0; run < 1_000; run++) {
      const uri = Array.from({ length: next(9) }, () => parts[next(parts.length)]).join("");
      const server = `s${next(99)}.x-${next(9)}`;
      expect(readForeignUri(ownUri(server, uri))).toEqual({ server, uri });
    }
  });
});

test.each([
  "file:///a",
  "scorpiox://mcp/",
  "scorpiox://mcp/a",
  "scorpiox://mcp//a",
  "ui://a/b",
  "ui://.scorpiox/b",
  "skill://a",
  "scorpiox://results/1-2",
  "",
])("readForeignUri() does not take %j for the address of another server's resource", (uri) => {
  expect(readForeignUri(uri)).toBeUndefined();
});
