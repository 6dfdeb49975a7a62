import { expect, test } from "bun:test";

import type { LoadedPage } from "../../../src/web/pages/page-url.ts";
import { readPage } from "../../../src/web/reading/read-page.ts";

const url = "https://docs.example/page";

function pageOf(html: string): LoadedPage {
  return {
    url,
    finalUrl: url,
    status: 200,
    contentType: "text/html",
    body: { kind: "text", text: html },
    via: "fetch",
    isCached: false,
    notes: [],
  };
}

test.each([
  ["a frame with little text", "<p>Wait.</p>", true],
  ["little text among 20,000 elements", `<p>Wait.</p>${"<br>".repeat(19_999)}`, true],
  [
    "little text among more, which no script has to fill",
    `<p>Wait.</p>${"<br>".repeat(20_000)}`,
    false,
  ],
])("%s is shown by a browser or not", async (_what, html, isRendered) => {
  let rendered = 0;
  const source = {
    fetchPage: async () => pageOf(html),
    renderPage: async () => {
      rendered += 1;
      return pageOf("<p>Shown by the browser.</p>");
    },
    readPdf: () => Promise.reject(new Error("no PDF here")),
  };
  const request = { url, format: "markdown", waitMs: undefined, deadline: Infinity } as const;
  const { text } = await readPage(request, source);
  expect([rendered > 0, text.includes("Shown by")]).toEqual([isRendered, isRendered]);
});
