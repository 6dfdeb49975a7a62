import { describe, expect, test } from "bun:test";
import {
  openPage,
  plainText,
  decodeEscapes,
  isoDate,
  webUrl,
} from "../../../../src/web/search/pages/page.ts";

describe("openPage()", () => {
  test("text() leaves out what is not text, and adds nothing", async () => {
    const page = await openPage(
      "<p>a<b>b</b> <style>p{}</style><script>x</script>\n\n c<template>t</template>&amp;lt;</p>",
    );
    expect(page.text(page.first("p"))).toBe("ab c&lt;");
    expect(page.text(undefined)).toBe("");
  });

  test("says() looks at what is shown, not at scripts and styles", async () => {
    const page = await openPage("<style>gone</style><p> here </p><script>'gone'</script>");
    expect([page.says(/^here$/), page.says(/gone/)]).toEqual([true, false]);
  });

  test("title is that of the document, not of a picture in it", async () => {
    const page = await openPage("<body><svg><title>icon</title></svg><title>late</title>");
    expect(page.title).toBe("late");
  });

  test.each([
    [253, true],
    [300, false],
  ])("%d levels of elements can be read: %p", async (levels, isReadable) => {
    const opened = openPage("<div>".repeat(levels)).then(
      () => true,
      () => false,
    );
    expect(await opened).toBe(isReadable);
  });
});

describe("plainText()", () => {
  test.each([
    ["plain  text", "plain text"],
    ["a <b>b</b> &amp; &lt;i&gt; &amp;amp;", "a b & <i> &amp;"],
    ["<script>x</script>y<", "y<"],
    ["<html><body class=x>z", "z"],
    [7, ""],
    [null, ""],
  ])("%p is %p", async (html, expected) => {
    expect(await plainText(html)).toBe(expected);
  });
});

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
