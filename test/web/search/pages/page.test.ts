import { describe, expect, test } from "bun:test";
import { openPage } from "../../../../src/web/search/pages/page.ts";
import { plainText } from "../../../../src/web/search/pages/web-url.ts";

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
