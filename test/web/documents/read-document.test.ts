import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { documentKind, type DocumentKind } from "../../../src/web/documents/document-kind.ts";
import { readDocument } from "../../../src/web/documents/read-document.ts";
import { readFeed, scanXml } from "../../../src/web/documents/read-feed.ts";
import type { LoadedPage, PageBody } from "../../../src/web/pages/page-url.ts";

const page = (finalUrl: string, contentType: string, body: PageBody): LoadedPage => ({
  url: finalUrl,
  finalUrl,
  status: 200,
  contentType,
  body,
  via: "fetch",
  isCached: false,
  notes: [],
});

const nobody = (): Promise<never> => Promise.reject(new Error("there is no PDF"));

describe("documentKind()", () => {
  const rows: [contentType: string, url: string, kind: DocumentKind][] = [
    ["text/html", "https://x.org/a.py", { kind: "html" }],
    ["application/xhtml+xml", "https://x.org/", { kind: "html" }],
    ["application/ld+json", "https://x.org/", { kind: "json" }],
    ["text/json", "https://x.org/", { kind: "json" }],
    ["application/rss+xml", "https://x.org/", { kind: "xml" }],
    ["text/xml", "https://x.org/", { kind: "xml" }],
    ["text/markdown", "https://x.org/", { kind: "markdown" }],
    ["text/plain", "https://x.org/README.md", { kind: "markdown" }],
    ["text/plain", "https://x.org/robots.txt", { kind: "plain" }],
    ["text/plain", "https://x.org/src/main.rs?raw=1", { kind: "source", language: "rust" }],
    ["text/plain", "https://x.org/Dockerfile", { kind: "source", language: "dockerfile" }],
    ["text/x-python", "https://x.org/raw", { kind: "source", language: "python" }],
    ["text/css", "https://x.org/", { kind: "source", language: "css" }],
    ["application/javascript", "https://x.org/", { kind: "source", language: "javascript" }],
    ["application/pdf", "https://x.org/", { kind: "pdf" }],
    ["image/svg+xml", "https://x.org/", { kind: "image" }],
    ["application/zip", "https://x.org/", { kind: "other" }],
    ["", "https://x.org/", { kind: "other" }],
    ["constructor", "https://x.org/", { kind: "other" }],
  ];
  test.each(rows)("%s at %s", (contentType, url, kind) => {
    expect(documentKind(contentType, url)).toEqual(kind);
  });
});

describe("readDocument()", () => {
  const rows: [
    name: string,
    url: string,
    type: string,
    body: string,
    title: string,
    text: string,
  ][] = [
    [
      "JSON is laid out and its numbers stay as they are",
      "https://x.org/api/v1",
      "application/json",
      '{"a":[1,{"b":12345678901234567890}],"c":{},"d":"x,{"}',
      "v1",
      '```json\n{\n  "a": [\n    1,\n    {\n      "b": 12345678901234567890\n    }\n  ],\n  "c": {},\n  "d": "x,{"\n}\n```',
    ],
    [
      "broken JSON stays as it is",
      "https://x.org/",
      "application/json",
      "{a:",
      "x.org",
      "```json\n{a:\n```",
    ],
    [
      "XML is shown as it is",
      "https://x.org/pom.xml",
      "application/xml",
      "<project>\r\n<a/></project>\n",
      "pom.xml",
      "```xml\n<project>\n<a/></project>\n```",
    ],
    [
      "source files are fenced, longer than what is in them",
      "https://x.org/a/doc.py",
      "text/plain",
      's = """\n```\n"""\n',
      "doc.py",
      '````python\ns = """\n```\n"""\n````',
    ],
    [
      "Markdown passes, without what nobody sees",
      "https://x.org/README.md",
      "text/markdown",
      "# Hi *there* #\n\n[a](b)\u202e\u200b\u{e0041}",
      "Hi *there*",
      "# Hi *there* #\n\n[a](b)",
    ],
    [
      "plain text passes",
      "https://x.org/a%20b.txt",
      "text/plain",
      "<b> *x*\u0007\n",
      "a b.txt",
      "<b> *x*\n",
    ],
    [
      "RSS is a list of its entries",
      "https://x.org/feed",
      "application/rss+xml",
      "<?xml version='1.0'?><rss><channel><title>News &amp; more</title><link>https://x.org/</link>" +
        "<item><title><![CDATA[One <1>]]></title><link>https://x.org/1</link><pubDate>Mon, 1 Jan</pubDate>" +
        "<description>&lt;p&gt;Hi &lt;b&gt;you&lt;/b&gt;&lt;/p&gt;</description></item>" +
        "<item><title>Two</title><guid>https://x.org/2</guid></item></channel></rss>",
      "News & more",
      "## One <1>\n\nhttps://x.org/1\n\nMon, 1 Jan\n\nHi **you**\n\n## Two\n\nhttps://x.org/2",
    ],
    [
      "links of a feed are whole, titles are no markup",
      "https://x.org/blog/feed",
      "application/atom+xml",
      "<feed><title>F</title>" +
        "<entry><title type='html'>&lt;b&gt;Big&lt;/b&gt; *news*</title><link href='/1'/></entry>" +
        "<entry><title>Use of &lt;script></title><link href='../2?a'/></entry>" +
        "<entry><title>Tag</title><guid>tag:x.org,2026:3</guid></entry></feed>",
      "F",
      "## Big \\*news\\*\n\nhttps://x.org/1\n\n## Use of \\<script>\n\nhttps://x.org/2?a\n\n## Tag\n\ntag:x.org,2026:3",
    ],
    [
      "Atom is a list of its entries",
      "https://x.org/atom",
      "application/atom+xml",
      "<feed><title>F</title><entry><title type='html'>E</title><link rel='self' href='https://x.org/self'/>" +
        "<link rel='alternate' href='https://x.org/e'/><updated>2026-01-01</updated>" +
        "<content type='xhtml'><div>Text <i>it</i></div></content></entry></feed>",
      "F",
      "## E\n\nhttps://x.org/e\n\n2026-01-01\n\nText it",
    ],
    [
      "an unknown element of a feed is looked into, whatever its name",
      "https://x.org/atom",
      "application/atom+xml",
      "<feed><title>F</title><entry><constructor><title>E</title></constructor></entry></feed>",
      "F",
      "## E",
    ],
  ];
  test.each(rows)("%s", async (_name, url, type, text, title, expected) => {
    const kind = documentKind(type, url);
    if (kind.kind === "html" || kind.kind === "image") throw new Error("not a document");
    const document = await readDocument(
      page(url, type, { kind: "text", text }),
      kind,
      "markdown",
      nobody,
    );
    expect({ title: document.title, text: document.text }).toEqual({ title, text: expected });
  });

  test("what is no text is named, with type and size", async () => {
    const zip = page("https://x.org/a.zip", "application/zip", { kind: "none", bytes: 12_345 });
    expect(await readDocument(zip, { kind: "other" }, "markdown", nobody)).toEqual({
      title: "a.zip",
      text: "a.zip is of type application/zip (12,345 bytes), which cannot be shown as text.",
      syntax: "plain",
      notes: [],
    });
  });

  test("as text, code stands without its fence", async () => {
    const json = page("https://x.org/", "application/json", { kind: "text", text: "[1]" });
    const { text, syntax } = await readDocument(json, { kind: "json" }, "text", nobody);
    expect({ text, syntax }).toEqual({ text: "[\n  1\n]", syntax: "plain" });
  });
});

describe("scanXml()", () => {
  test("never throws and takes no entity but the five", () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "/",
      "<a",
      "</a>",
      '"',
      "'",
      "=",
      "<!--",
      "]]>",
      "<![CDATA[",
      "&lol;",
      "&#65;",
      "x",
      " ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const xml = pieces.join("");
        const text = [...scanXml(xml)]
          .map((part) => (part.kind === "text" ? part.text : ""))
          .join("");
        expect(text.length).toBeLessThanOrEqual(xml.length);
        readFeed(xml);
      }),
    );
  });

  test.each([
    ["tags that never end", "<a ", 300_000],
    ["ends that never end", "</a", 300_000],
    ["one endless name", "a", 1_000_000],
    ["quotes that never end", "<a '\"", 200_000],
    ["attributes without values", " a", 500_000],
  ])("is done with %s", (_name, piece, count) => {
    const xml = `<rss ${piece.repeat(count)}`;
    expect([...scanXml(xml)].length).toBeGreaterThan(0);
    expect([...scanXml(`${xml}>`)].length).toBeGreaterThan(0);
  });
});
