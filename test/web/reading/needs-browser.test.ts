import { describe, expect, test } from "bun:test";

import { parseHtml } from "../../../src/web/dom/parse-html.ts";
import { toPlainText } from "../../../src/web/markdown/to-markdown.ts";
import { type BrowserReason, reasonForBrowser } from "../../../src/web/reading/needs-browser.ts";
import { extractionOf } from "../markdown/markdown-of.ts";

const reasonFor = (html: string): BrowserReason | undefined => {
  const text = toPlainText(extractionOf(html));
  const title = /<title>([^<]*)/.exec(html)?.[1] ?? "";
  return reasonForBrowser({ html, document: parseHtml(html), title, text, textChars: text.length });
};
const long = "Words of a page that says what it has to say. ".repeat(10);

describe("reasonForBrowser()", () => {
  const rows: [name: string, html: string, reason: BrowserReason | undefined][] = [
    ["a page with text", `<p>${long}`, undefined],
    ["199 characters", "x".repeat(199), "thin"],
    ["200 characters", "x".repeat(200), undefined],
    [
      "an empty root with a script",
      `<p>${long}<div id=root></div><script src=/a.js></script>`,
      "application",
    ],
    [
      "a root with a spinner",
      `<p>${long}<div id=__next><div class=spin><svg></svg></div></div><script></script>`,
      "application",
    ],
    [
      "a root that the server filled",
      `<div id=app><p>${long}</div><script src=/a.js></script>`,
      undefined,
    ],
    ["an empty root without scripts", `<p>${long}<div id=app></div>`, undefined],
    [
      "a page that asks for scripts",
      `<p>${"Menu ".repeat(50)}<noscript>You need to enable JavaScript to run this app.</noscript>`,
      "scripts",
    ],
    ["a long page about scripts", `<p>${long.repeat(8)} Please enable JavaScript.`, undefined],
    ["a challenge by its title", `<title>Just a moment...</title><p>${long}`, "challenge"],
    ["a challenge by its text", "<p>Checking your browser before you go on", "challenge"],
    [
      "a challenge by its scripts",
      "<p>Please wait<script src=/cdn-cgi/challenge-platform/h/b.js></script>",
      "challenge",
    ],
    ["nothing", "", "thin"],
  ];
  test.each(rows)("%s", (_name, html, reason) => {
    expect(reasonFor(html)).toBe(reason);
  });
});
