import { expect, test } from "bun:test";

import { searchQueryCharsMax } from "../../../src/base/upstream-limits.ts";
import { parseQuery, type ParsedQuery } from "../../../src/upstream/search/words.ts";

const word = (text: string, isRequired = false): { text: string; isRequired: boolean } => ({
  text,
  isRequired,
});

test.each<[string, ParsedQuery]>([
  ["open  issues\n", { kind: "words", words: [word("open"), word("issues")] }],
  ["+open issue", { kind: "words", words: [word("open", true), word("issue")] }],
  ["server:github issue", { kind: "words", words: [word("issue")], server: "github" }],
  ["issue SERVER:git-hub", { kind: "words", words: [word("issue")], server: "git-hub" }],
  ["", { kind: "words", words: [] }],
  ["+ server:", { kind: "words", words: [word("+"), word("server:")] }],
  ["select:a, b,,a", { kind: "select", names: ["a", "b"] }],
  ["Select: mcp__a__b", { kind: "select", names: ["mcp__a__b"] }],
  ["select:", { kind: "select", names: [] }],
  ["/a|b/i", { kind: "pattern", source: "a|b", flags: "i" }],
  ["/a/b/", { kind: "pattern", source: "a/b", flags: "" }],
  ["/etc/hosts", { kind: "words", words: [word("/etc/hosts")] }],
  ["//", { kind: "words", words: [word("//")] }],
])("parseQuery %p", (query, parsed) => {
  expect(parseQuery(query)).toEqual(parsed);
});

test("parseQuery looks at so many characters and no more", () => {
  const query = `${"a".repeat(searchQueryCharsMax)} b`;
  expect(parseQuery(query)).toEqual({
    kind: "words",
    words: [word("a".repeat(searchQueryCharsMax))],
  });
});
