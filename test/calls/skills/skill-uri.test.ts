import { expect, test } from "bun:test";
import * as fc from "fast-check";

import { readSkillUri, skillUri } from "../../../src/calls/skills/skill-uri.ts";

test.each<[string, ReturnType<typeof readSkillUri>]>([
  ["skill://a/SKILL.md", { name: "a", path: ["SKILL.md"] }],
  ["skill://a", { name: "a", path: [] }],
  ["skill://a/b/c%20d.md", { name: "a", path: ["b", "c d.md"] }],
  ["skill://%C3%A9t%C3%A9/SKILL.md", { name: "été", path: ["SKILL.md"] }],
  ["skill://été/SKILL.md", undefined],
  ["skill://a/c d.md", undefined],
  ["skill://a/", undefined],
  ["skill://a//b", undefined],
  ["skill://a/../b", undefined],
  ["skill://a/%2e%2e/b", undefined],
  ["skill://a/.git/config", undefined],
  ["skill://.a/b", undefined],
  ["skill://a/b%2Fc", undefined],
  ["skill://a/b%5Cc", undefined],
  ["skill://a/b%00", undefined],
  ["skill://a/%", undefined],
  ["skill://a/b?x", undefined],
  ["skill://a/b#x", undefined],
  ["SKILL://a/b", undefined],
  ["skill://", undefined],
  ["file:///a", undefined],
  ["skill://\ud800/x", undefined],
])("%s", (uri, named) => {
  expect(readSkillUri(uri)).toEqual(named);
});

test("what is read is what was written, in one way only", () => {
  fc.assert(
    fc.property(fc.webUrl(), fc.string(), (_url, text) => {
      const uri = `skill://${text}`;
      const named = readSkillUri(uri);
      if (named !== undefined) expect(skillUri(named.name, named.path.join("/"))).toBe(uri);
    }),
  );
});
