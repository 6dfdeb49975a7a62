import { describe, expect, test } from "bun:test";

import { isOfSites, parseQuery, tokensOf } from "../../../src/web/search/query.ts";

describe("parseQuery()", () => {
  test.each([
    ["spaces", "  a \n b ", "a b"],
    ["composition", "cafe\u0301", "caf\u00e9"],
    ["what is not to be seen", "a\u200bb\u{e0041}", "ab"],
    ["operators stay", 'site:a.org "x y" -z', 'site:a.org "x y" -z'],
  ])("%s", (_, written, text) => expect(parseQuery(written).text).toBe(text));

  test("cuts at 500 characters, behind a word", () => {
    const { text } = parseQuery("word ".repeat(200));
    expect(text.length).toBeLessThanOrEqual(500);
    expect(text).toEndWith("word");
    expect(parseQuery("x".repeat(500)).text).toHaveLength(500);
    expect(parseQuery("x".repeat(501)).text.length).toBeLessThanOrEqual(500);
  });

  test.each(["", " \t\n", "\u200b", "\u{e0041}\u202e"])("%j is refused", (blank) => {
    expect(() => parseQuery(blank)).toThrow("`query` is blank");
  });

  test.each([
    ["Bun SQLite", ["bun", "sqlite"]],
    ["a C++ x", []],
    ["Café ＡＢＣ", ["cafe", "abc"]],
    ["東京都 ramen", ["東京", "京都", "ramen"]],
    ['"exact words" -bad -"very bad" OR x', ["exact", "words"]],
    ["site:a.org filetype:pdf intitle:x", []],
    ["site:a.org kestrel", ["kestrel"]],
    ["kestrel (site:a.org OR site:b.org)", ["kestrel"]],
    ["node.js 22", ["node", "js", "22"]],
  ])("the tokens of %j", (written, tokens) => {
    expect([...parseQuery(written).tokens].sort()).toEqual([...tokens].sort());
  });
});

test.each([
  ["x", "https://any.org/", true],
  ["x site:a.org", "https://a.org/y", true],
  ["x site:a.org", "https://www.a.org/", true],
  ["x site:www.a.org", "https://docs.a.org/", true],
  ["x site:a.org", "https://ba.org/", false],
  ["x site:a.org/docs", "https://a.org/docs/x", true],
  ["x site:a.org/docs", "https://a.org/blog", false],
  ["x site:https://a.org/", "https://a.org/blog", true],
  ["x SITE:A.org", "https://a.org/", true],
  ["x site:a.org OR site:b.org", "https://b.org/", true],
  ["x (site:a.org OR site:b.org)", "https://a.org/", true],
  ["x (site:a.org OR site:b.org)", "https://b.org/", true],
  ["x (site:a.org OR site:b.org)", "https://c.org/", false],
  ["x -(site:a.org OR site:b.org)", "https://c.org/", true],
  ["x site:a.org, y", "https://a.org/", true],
  ["x site:.gov", "https://nasa.gov/", true],
  ["x site:*.a.org", "https://docs.a.org/", true],
  ["x -site:a.org", "https://a.org/", false],
  ["x -site:a.org", "https://b.org/", true],
  ["x site:", "https://b.org/", true],
  ['x "site:a.org"', "https://b.org/", true],
])("isOfSites(): %j and %s", (written, url, isOf) => {
  expect(isOfSites(new URL(url), parseQuery(written))).toBe(isOf);
});

test("tokensOf() finds words and pairs of what is glued together", () => {
  expect([...tokensOf("Größe ภาษาไทย 한국어 x2 y")].sort()).toEqual(
    ["große", "ภา", "าษ", "ษา", "าไ", "ไท", "ทย", "한국", "국어", "x2"].sort(),
  );
});
