import { expect, test } from "bun:test";
import fc from "fast-check";

import { findKind } from "../../../../src/web/extract/kinds/find-kind.ts";
import { readPageFacts } from "../../../../src/web/extract/page-facts.ts";
import { shareOf } from "../../../fixtures/long-run.ts";

function kindOf(html: string): string | undefined {
  return findKind(readPageFacts(html, "https://any.example/"))?.kind;
}

const names =
  "div li article table tr td section ul form main header h1 h2 p a button span time noscript".split(
    " ",
  );
const classes =
  "post comment message-body author date card product price review filter menu hidden d-none read-more btn x1".split(
    " ",
  );
const texts = [
  "",
  "Read more",
  "$12.00",
  "3 May 2026",
  "Ada",
  "Long enough to be a sentence, or two. ",
];

const piece = fc.tuple(
  fc.constantFrom(...names),
  fc.constantFrom(...classes),
  fc.constantFrom(...texts),
  fc.boolean(),
);

test("findKind() throws for no page and leaves each as it was", () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.integer({ min: 1, max: 8 }),
      (pieces, times) => {
        const html = pieces
          .map(
            ([name, token, text, isClosed]) =>
              `<${name} class="${token}" href="/${token}" itemtype="https://schema.org/Comment">${text}${isClosed ? `</${name}>` : ""}`,
          )
          .join("")
          .repeat(times);
        const page = readPageFacts(html, "https://any.example/");
        const before = JSON.stringify(page.measure(page.body)) + page.body.children.length;
        findKind(page);
        expect(JSON.stringify(page.measure(page.body)) + page.body.children.length).toBe(before);
      },
    ),
    { numRuns: shareOf(300) },
  );
});

const everything =
  "post message comment crawler-post cPost ipsComment answer question thing body content author date card";

test.each<[what: string, html: string]>([
  ["elements in each other", `<div class="${everything}"><a href="/u/x">`.repeat(shareOf(20_000))],
  [
    "elements beside each other",
    `<div class="${everything}"><p class="content author date">a, b. c</p></div>`.repeat(
      shareOf(20_000),
    ),
  ],
  [
    "lists beside each other",
    Array.from(
      { length: shareOf(8_000) },
      (_, index) =>
        `<ul class="l${index}">${"<li><a href='/a'>Title of it</a></li>".repeat(3)}</ul>`,
    ).join(""),
  ],
  [
    "classes of one element",
    `<div class="${"post-a comment ".repeat(shareOf(100_000))}">x</div>`.repeat(3),
  ],
  ["headings", "<h2>x</h2><i></i>".repeat(shareOf(30_000))],
  [
    "children of one post",
    `<div class="comment">${"<i>x</i>".repeat(shareOf(90_000))}</div>`.repeat(2),
  ],
])(
  "findKind() comes to an end on very many %s",
  (_, html) => {
    expect(["forum", "listing", "collection", "product", undefined]).toContain(kindOf(html));
  },
  60_000,
);
