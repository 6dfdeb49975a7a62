import { describe, expect, test } from "bun:test";

import { PageHarness } from "./page-harness.ts";

const html = { "Content-Type": "text/html; charset=utf-8" };
const site = (pages: Readonly<Record<string, string>>): PageHarness =>
  new PageHarness((_, url) => new Response(pages[url.pathname] ?? "end", { headers: html }));

describe("PageLoader: a page that sends its reader on", () => {
  const followed: [name: string, stub: string][] = [
    ["at once", '<meta http-equiv="refresh" content="0; url=/end">'],
    ["without quotes, in capitals", "<META HTTP-EQUIV=Refresh CONTENT=0;URL=/end>"],
    ["in inner quotes", `<meta http-equiv=refresh content="1;url='/end'">`],
    ["without the word url", '<meta http-equiv=refresh content="0, /end">'],
    ["after some seconds", '<p>We have moved.<meta http-equiv=refresh content="5;url=end">'],
  ];
  test.each(followed)("%s is followed", async (_name, stub) => {
    await using harness = site({ "/docs": stub });
    const page = await harness.page("/docs#part");
    expect(page).toMatchObject({
      url: `${harness.origin}/docs#part`,
      finalUrl: `${harness.origin}/end#part`,
      body: { kind: "text", text: "end" },
    });
    expect((await harness.page("/docs")).isCached).toBe(true);
    expect(harness.hits).toEqual(["/docs", "/end"]);
  });

  test("to an address with entities and a fragment, over several pages", async () => {
    await using harness = site({
      "/1": '<meta http-equiv=refresh content="0; url=/2?a=1&amp;b=2#here">',
      "/2": '<meta http-equiv=refresh content="0; url=/end">',
    });
    expect((await harness.page("/1")).finalUrl).toBe(`${harness.origin}/end#here`);
    expect(harness.hits).toEqual(["/1", "/2?a=1&b=2", "/end"]);
  });

  const kept: [name: string, stub: string][] = [
    ["renews itself", '<meta http-equiv=refresh content="3">'],
    ["leads to itself", '<meta http-equiv=refresh content="0;url=/docs">'],
    ["waits long", '<meta http-equiv=refresh content="30;url=/end">'],
    [
      "means readers without scripts",
      '<noscript><meta http-equiv=refresh content="0;url=/end"></noscript>',
    ],
    ["has it in a comment", '<!-- <meta http-equiv=refresh content="0;url=/end"> -->'],
    ["has it in a script", `<script>x = '<meta http-equiv=refresh content="0;url=/end">'</script>`],
    ["leads to a file", '<meta http-equiv=refresh content="0;url=file:///etc/passwd">'],
    ["leads to a script", '<meta http-equiv=refresh content="0;url=javascript:alert(1)">'],
    ["leads nowhere", '<meta http-equiv=refresh content="0;url=http://[">'],
    ["has much to say", `<meta http-equiv=refresh content="0;url=/end">${"x".repeat(40_000)}`],
  ];
  test.each(kept)("one that %s is a page", async (_name, stub) => {
    await using harness = site({ "/docs": stub });
    expect(await harness.text("/docs")).toBe(stub);
    expect(harness.hits).toEqual(["/docs"]);
  });

  test("U-ssrf: to a private address is not followed", async () => {
    const stub = '<meta http-equiv=refresh content="0;url=http://127.0.0.2/">';
    await using harness = site({ "/docs": stub });
    expect(await harness.text("/docs")).toBe(stub);
  });

  test("for ever is given up", async () => {
    await using harness = new PageHarness((_, url) => {
      const next = Number(url.pathname.slice(1)) + 1;
      return new Response(`<meta http-equiv=refresh content="0;url=/${next}">`, { headers: html });
    });
    await harness.page("/0");
    expect(harness.hits).toHaveLength(11);
  });
});
