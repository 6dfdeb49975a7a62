import { describe, expect, test } from "bun:test";

import { type KindCandidate, readPageFacts } from "../../../../../src/web/extract/page-facts.ts";
import { findKind } from "../../../../../src/web/extract/kinds/find-kind.ts";
import { shownLines } from "../shown-lines.ts";

function kindOf(html: string): KindCandidate | undefined {
  return findKind(readPageFacts(html, "https://shop.example/pots"));
}

function linesOf(html: string): string[] {
  const found = kindOf(html);
  return found === undefined ? [] : shownLines(found.root);
}

const names = [
  "Tall vase of clay",
  "Small bowl, blue",
  "Grey plate with rim",
  "Jug for two litres",
  "Cup without ear",
  "Pan for bread",
];

function card(name: string, inner = ""): string {
  return `<div class="card"><a href="/p/${encodeURIComponent(name)}"><img src="x.jpg"><h3>${name}</h3></a>${inner}</div>`;
}

function cards(inner = ""): string {
  return names.map((name) => card(name, inner)).join("");
}

/** As many as a shop shows on a page. */
function manyCards(inner: string): string {
  return Array.from({ length: 24 }, (_, index) => card(`Pot of the ${index}th series`, inner)).join(
    "",
  );
}

function pageOf(main: string, head = ""): string {
  return `<html><head><title>Pots</title>${head}</head><body>
    <header class="site-header"><a href="/">Shop</a><nav><a href="/a">Pots</a><a href="/b">Pans</a></nav></header>
    <div class="content">${main}</div>
    <footer><a href="/terms">Terms</a> <a href="/privacy">Privacy</a></footer></body></html>`;
}

const prose = `<p>${"Pots are burnt at a thousand degrees, which makes them hard and keeps water in. ".repeat(12)}</p>`;

describe("findKind()", () => {
  test.each<[what: string, html: string, kind: string | undefined]>([
    ["cards with prices", pageOf(`<h1>Pots</h1>${cards("<span>$12.00</span>")}`), "collection"],
    ["prices in other currencies", pageOf(cards("<span>12,50 €</span>")), "collection"],
    ["cards without prices", pageOf(`<h1>Pots</h1>${cards("<p>Made by hand</p>")}`), "listing"],
    [
      "titles alone",
      pageOf(
        names
          .map(
            (name) =>
              `<li><a href="/${name.length}">${name} that we made in the last year</a></li>`,
          )
          .join(""),
      ),
      "listing",
    ],
    ["cards with prices below an article", pageOf(prose.repeat(6) + cards("<b>$3</b>")), undefined],
    ["cards beside an article", pageOf(`${prose.repeat(4)}<aside>${cards()}</aside>`), undefined],
    ["cards in a sidebar", pageOf(`${prose}<div class="right-column">${cards()}</div>`), undefined],
    [
      "an article that says so",
      pageOf(
        cards(),
        `<script type="application/ld+json">{"@context":"https://schema.org","@type":"NewsArticle"}</script>`,
      ),
      undefined,
    ],
    [
      "the front page of a blog that marks each post as an article",
      pageOf(
        names
          .map(
            (name) =>
              `<div itemscope itemtype="https://schema.org/BlogPosting">${card(name)}</div>`,
          )
          .join(""),
      ),
      "listing",
    ],
    [
      "a menu",
      pageOf(names.map((_, index) => `<li><a href="/${index}">Pots</a></li>`).join("")),
      undefined,
    ],
    [
      "chapters",
      pageOf(names.map((name) => `<section><h2>${name}</h2>${prose}</section>`).join("")),
      undefined,
    ],
    [
      "pictures that open",
      pageOf(
        names
          .map((name) => `<div class="pic"><a href="/i/${name}.jpg"><img src="x"></a>${name}</div>`)
          .join(""),
      ),
      undefined,
    ],
    ["an article", pageOf(prose), undefined],
    ["nothing", "", undefined],
  ])("takes a page of %s for what it is", (_, html, kind) => {
    expect<string | undefined>(kindOf(html)?.kind).toBe(kind);
  });

  test("is surer of a page that is nothing but cards than of one with prose around them", () => {
    const alone = kindOf(pageOf(manyCards("<i>$1</i>")))?.confidence ?? 0;
    const amongProse = kindOf(pageOf(prose + manyCards("<i>$1</i>")))?.confidence ?? 0;
    expect(alone).toBeGreaterThan(amongProse);
    expect(amongProse).toBeGreaterThan(0.3);
  });

  test("leaves the page as it was", () => {
    const page = readPageFacts(
      pageOf(cards("<button>Add to cart</button>")),
      "https://shop.example/",
    );
    const before = shownLines(page.body);
    findKind(page);
    expect(shownLines(page.body)).toEqual(before);
  });
});

describe("the copy of a list", () => {
  test.each<[what: string, furniture: string]>([
    [
      "filters",
      `<div class="product-filters"><h2>Colour</h2><a href="?c=1">Red</a><a href="?c=2">Blue</a></div>`,
    ],
    ["sorting", `<div class="toolbar sort-by">Newest first</div>`],
    [
      "breadcrumbs",
      `<ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/p">Pots</a></li></ol>`,
    ],
    ["pages", `<div class="pagination"><a href="?p=1">1</a><a href="?p=2">2</a></div>`],
    ["a newsletter", `<div class="newsletterSignup">Get news about pots</div>`],
    ["dialogs", `<div role="dialog">Choose your country</div>`],
    ["parts for screen readers", `<span class="visually-hidden">Main content starts here</span>`],
    [
      "menus without a name, with their heading",
      `<div><h2>More of us</h2><ul>${"<li><a href='/c'>Bowls</a></li>".repeat(6)}</ul></div>`,
    ],
    ["headings of pictures alone", `<div><h2>Featured in</h2><img src="paper.png"></div>`],
    [
      "three links",
      `<p><a href="/news">News</a> | <a href="/rss">RSS Feed</a> | <a href="/old">Archive</a></p>`,
    ],
    [
      "a line of links",
      `<div>${["new", "past", "ask", "show", "jobs"].map((word) => `<a href="/${word}">${word}</a>`).join(" | ")}</div>`,
    ],
    ["words that do something", `<a href="#">Load more</a>`],
  ])("is without %s", (_, furniture) => {
    const html = pageOf(`<h1>Pots</h1>${furniture}<div class="grid">${cards()}</div>${furniture}`);
    expect(linesOf(html)).toEqual(["Pots", ...names]);
  });

  test("keeps the prose above and below the cards", () => {
    const html = pageOf(
      `<div><h1>Pots</h1></div><section>${prose}</section><div><div>${manyCards("<b>$5</b>")}</div></div><section>${prose}</section>`,
    );
    const lines = linesOf(html);
    expect(lines.filter((line) => line.startsWith("Pots are burnt")).length).toBe(2);
    expect(lines.filter((line) => line === "$5").length).toBe(24);
  });

  test("is without what can be done with each card", () => {
    const actions = `<b>$5</b><button>Add to cart</button><div class="swatches">Red Blue</div><a href="#">Quick view</a>`;
    expect(linesOf(pageOf(cards(actions)))).toEqual(names.flatMap((name) => [name, "$5"]));
  });

  test("has a card once that the page has for each width of screen", () => {
    const html = pageOf(
      `<h1>Pots</h1><div class="wide">${cards("<b>$5</b>")}</div><div class="narrow">${cards("<b>$5</b>")}</div>`,
    );
    expect(linesOf(html)).toEqual(["Pots", ...names.flatMap((name) => [name, "$5"])]);
  });

  test("keeps cards whose parts have the names of furniture", () => {
    const list = `<h1>Pots</h1><div class="related-products">${cards("<b>$5</b>")}</div>`;
    const html = pageOf(list).replace("<body>", `<body class="archive tax-product_cat">`);
    expect(linesOf(html)).toEqual(["Pots", ...names.flatMap((name) => [name, "$5"])]);
  });

  test("is made of a page that a program put into a form", () => {
    const html = pageOf(`<form id="aspnetForm"><h1>Pots</h1>${cards("<b>$5</b>")}</form>`);
    expect(linesOf(html)).toEqual(["Pots", ...names.flatMap((name) => [name, "$5"])]);
  });
});
