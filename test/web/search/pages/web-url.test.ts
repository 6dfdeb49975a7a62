import { describe, expect, test } from "bun:test";
import { decodeEscapes, isoDate, webUrl } from "../../../../src/web/search/pages/web-url.ts";

describe("webUrl()", () => {
  test.each([
    ["https://a.example", undefined, "https://a.example"],
    ["https://a.example/ü?q=1 2", undefined, "https://a.example/%C3%BC?q=1%202"],
    [" HTTPS://A.Example/B ", undefined, "https://a.example/B"],
    ["/path", "https://a.example/x", "https://a.example/path"],
    ["//b.example/", "https://a.example/", "https://b.example/"],
    ["/path", undefined, undefined],
    ["javascript:alert(1)", undefined, undefined],
    ["ftp://a.example/", undefined, undefined],
    ["https://[", undefined, undefined],
    ["", "https://a.example/", undefined],
    [undefined, undefined, undefined],
  ])("%p at %p is %p", (text, base, expected) => {
    expect(webUrl(text, base)).toBe(expected);
  });
});

describe("decodeEscapes()", () => {
  test.each([
    ["a%20b%252F+c", "a b%2F+c"],
    ["%E0%A4%A", undefined],
  ])("%p is %p", (text, expected) => {
    expect(decodeEscapes(text)).toBe(expected);
  });
});

describe("isoDate()", () => {
  test.each([
    ["2026-03-02T04:05:06Z", "2026-03-02"],
    ["Mon, 02 Mar 2026 04:05:00 GMT", "2026-03-02"],
    [1_772_423_106, "2026-03-02"],
    [0, undefined],
    [1e300, undefined],
    ["yesterday", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%p is %p", (moment, expected) => {
    expect(isoDate(moment)).toBe(expected);
  });
});
