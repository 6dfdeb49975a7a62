import { describe, expect, test } from "bun:test";

import { AppError } from "../../../src/base/errors.ts";
import { parsePageUrl, quoted } from "../../../src/web/pages/page-url.ts";

function codeOf(text: string): string {
  try {
    const { url, fragment } = parsePageUrl(text);
    return `${url.href} ${fragment}`;
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}

describe("parsePageUrl()", () => {
  test.each([
    ["https://example.org", "https://example.org/ "],
    ["  http://EXAMPLE.org:80/a b?c=ä#d e  ", "http://example.org/a%20b?c=%C3%A4 #d%20e"],
    ["https://example.org/#", "https://example.org/ "],
    ["https://example.org/#/route?x", "https://example.org/ #/route?x"],
    ["https://münchen.example/", "https://xn--mnchen-3ya.example/ "],
    ["http:example.org", "http://example.org/ "],
    ["", "usage"],
    ["   ", "usage"],
    ["not a url", "usage"],
    ["//127.0.0.1", "usage"],
    ["example.org/page", "usage"],
    ["http://", "usage"],
    ["http://[::1", "usage"],
    ["http://a b/", "usage"],
    ["http://example.org:99999/", "usage"],
    ["file:///etc/passwd", "refused"],
    ["FILE:///etc/passwd", "refused"],
    ["data:text/html,<b>x", "refused"],
    ["blob:https://example.org/1-2", "refused"],
    ["javascript:alert(1)", "refused"],
    ["java\nscript:alert(1)", "refused"],
    ["view-source:https://example.org", "refused"],
    ["chrome://version", "refused"],
    ["about:blank", "refused"],
    ["ftp://127.0.0.1/", "refused"],
    ["gopher://127.0.0.1:6379/_INFO", "refused"],
    ["ws://example.org/", "refused"],
    ["mailto:a@example.org", "refused"],
    ["http://user@example.org/", "refused"],
    ["http://user:secret@example.org/", "refused"],
    ["http://:secret@example.org/", "refused"],
  ])("%j is %s", (text, expected) => {
    expect(codeOf(text)).toBe(expected);
  });

  test.each([
    [1999, "https://"],
    [2000, "https://"],
    [2001, "usage"],
  ])("a URL of %i characters", (length, expected) => {
    const start = "https://example.org/";
    expect(codeOf(start + "a".repeat(length - start.length))).toStartWith(expected);
  });

  test("a refusal names what was wrong, what to do, and no secret", () => {
    const messageFor = (text: string): string => {
      try {
        return parsePageUrl(text).url.href;
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
    };
    expect(messageFor("file:///etc/passwd")).toBe(
      'Refused: only http: and https: URLs are supported, not "file:". Local files are not read as pages. Use Bash, or ReadImage for images.',
    );
    expect(messageFor("foo:bar")).toBe(
      'Refused: only http: and https: URLs are supported, not "foo:".',
    );
    expect(messageFor("https://user:secret@example.org/")).toBe(
      'Refused: the URL contains a user name or a password before "example.org". Remove it.',
    );
    expect(messageFor("example.org")).toBe(
      'Not a URL: "example.org". Pass a complete URL, for example https://example.org/page.',
    );
  });
});

test.each([
  ["plain", '"plain"'],
  ["\u001b[31mred\n", String.raw`"\u001b[31mred\n"`],
  ["a\u202eb\u200bc\u0085", String.raw`"a\u202eb\u200bc\u0085"`],
  ["x".repeat(300), `"${"x".repeat(200)}…"`],
])("quoted(%j) is %s", (text, expected) => {
  expect(quoted(text)).toBe(expected);
});
