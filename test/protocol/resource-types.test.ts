import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { uriCharsMax } from "../../src/base/limits.ts";
import { uriProblem } from "../../src/protocol/resource-types.ts";

describe("uriProblem()", () => {
  test.each([
    "file:///a/b.txt",
    "https://example.com/a?b=c#d",
    "test://static-text",
    "test://template/123/data",
    "skill://a-b/SKILL.md",
    "scorpiox://background/3",
    "urn:isbn:0451450523",
    "mem:x",
    "postgres://user@host:1/db",
    "file:///a/My%20File.txt",
    "file:///a..b/c",
    "file:///a/..b",
    "file:///a/b..",
    "file:///a/...",
    "file:///ünïcode",
    "note://a b",
    `x:${"a".repeat(uriCharsMax - 2)}`,
  ])("takes %s", (uri) => {
    expect(uriProblem(uri)).toBeUndefined();
  });

  test.each<[unknown, string]>([
    [undefined, "must be a URI"],
    [5, "must be a URI"],
    ["", "must be a URI"],
    [`x:${"a".repeat(uriCharsMax - 1)}`, `must have at most ${uriCharsMax} characters`],
    ["/etc/passwd", "must begin with a scheme, as in file:///a"],
    ["a", "must begin with a scheme, as in file:///a"],
    ["x:", "must begin with a scheme, as in file:///a"],
    ["1x:a", "must begin with a scheme, as in file:///a"],
    [" file:///a", "must begin with a scheme, as in file:///a"],
    ["http://", "must be a valid URL"],
    ["http://a:b", "must be a valid URL"],
    ["file:///a\0b", "must not have control characters: percent-encode them"],
    ["file:///a\nb", "must not have control characters: percent-encode them"],
    ["file:///a%00b", "must not have control characters: percent-encode them"],
    ["file:///a%2500b", "must not have control characters: percent-encode them"],
    ["file:///\ud800", "must not have control characters: percent-encode them"],
  ])("refuses %j: %s", (uri, problem) => {
    expect(uriProblem(uri)).toBe(problem);
  });

  test.each([
    "file:///a/../b",
    "file:///..",
    "file://../a",
    "file:..",
    "x:../a",
    "x://a/..",
    "x://a/..?b",
    "x://a/..#b",
    "x://a\\..\\b",
    "x://a/%2e%2e/b",
    "x://a/%2E./b",
    "x://a/.%2e",
    "x://a%2f..%2fb",
    "x://a/..%5cb",
    "x://a/%252e%252e/b",
    "x://a%252f%252e.%252fb",
    "x://a/%25252e%25252e/",
  ])("refuses to climb: %s", (uri) => {
    expect(uriProblem(uri)).toBe('must not have ".." as a part of its path');
  });

  test("property: what is taken never climbs, however often it is decoded", () => {
    const parts = ["a", ".", "..", "/", "\\", "%2e", "%2F", "%5c", "%25", "?", "%252e"];
    const pieces = fc.array(fc.constantFrom(...parts), { maxLength: 12 });
    fc.assert(
      fc.property(pieces, (path) => {
        let uri = `x:/${path.join("")}`;
        fc.pre(uriProblem(uri) === undefined);
        for (let round = 0; round < 4; round += 1) {
          if (/[:/\\]\.\.(?:$|[/\\?#])/.test(uri)) return false;
          uri = uri.replaceAll(/%(?:2e|2f|5c|25)/gi, (code) => decodeURIComponent(code));
        }
        return true;
      }),
    );
  });
});
