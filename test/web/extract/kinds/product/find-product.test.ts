import { expect, test } from "bun:test";

import { findKind } from "../../../../../src/web/extract/kinds/find-kind.ts";
import { readPageFacts } from "../../../../../src/web/extract/page-facts.ts";
import { shownLines } from "../shown-lines.ts";

const says = `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"Jug"}</script>`;
const description = `A jug of white clay that holds two litres${", burnt twice and safe in the oven".repeat(8)}.`;
const long =
  "It came in a box that was as big as a house and everyone was glad about that, really. ".repeat(
    3,
  );
const goods = ["Cup", "Bowl", "Vase", "Plate"]
  .map(
    (name) =>
      `<div class="card"><a href="/${name}"><img src="x.jpg"><h3>${name} of the same clay</h3></a><b>$9</b></div>`,
  )
  .join("");

function pageOf(parts: string, head = says): string {
  return `<html><head>${head}</head><body><nav><a href="/">Shop</a></nav><main><h1>Jug</h1><div class="summary"><p class="price">$24.00</p>
    <form class="cart"><label>White</label><label>Blue</label><button>Add to cart</button></form></div>
    <div class="tab-description"><p>${description}</p></div>
    <table class="shop_attributes"><tr><th>Height</th><td>22 cm</td></tr></table>${parts}</main></body></html>`;
}

const kept = ["Jug", "$24.00", "White", "Blue", description, "Height", "22 cm"];

function found(html: string): { kind: string; lines: string[] } | undefined {
  const candidate = findKind(readPageFacts(html, "https://shop.example/jug"));
  return candidate && { kind: candidate.kind, lines: shownLines(candidate.root) };
}

test.each<[what: string, parts: string]>([
  ["nothing else", ""],
  [
    "other goods",
    `<section class="up-next"><h2>Goes well with it</h2><div>${goods}</div></section>`,
  ],
  ["reviews", `<div id="customer-reviews">${long}</div>`],
  ["delivery", `<div class="shippingInfo">${long}</div>`],
  ["a program for reviews", `<div class="yotpo">${long}</div>`],
])("findKind() keeps what is about a product on a page with %s", (_, parts) => {
  expect(found(pageOf(parts))).toEqual({ kind: "product", lines: kept });
});

test.each<[what: string, head: string]>([
  ["with schema.org data", says],
  ["with an OpenGraph type", `<meta property="og:type" content="product">`],
])("findKind() knows a product by what the page says %s", (_, head) => {
  expect(found(pageOf("", head))?.kind).toBe("product");
});

test.each<[what: string, head: string, kind: string | undefined]>([
  ["does not say so", "", undefined],
  [
    "is an article about one",
    `${says}<script type="application/ld+json">{"@type":"Article"}</script>`,
    undefined,
  ],
  [
    "is a category with goods in its data",
    `${says}<script type="application/ld+json">{"@type":"ItemList"}</script>`,
    undefined,
  ],
])("findKind() takes no page for a product that %s", (_, head, kind) => {
  expect(found(pageOf("", head))?.kind).toBe(kind as string);
});

test("findKind() takes a category whose goods are marked as products for a list", () => {
  const marked = goods.replaceAll(
    `<div class="card">`,
    `<div class="card" itemscope itemtype="https://schema.org/Product">`,
  );
  const html = `<body><h1>Pots</h1>${marked}${marked.replaceAll(`href="/`, `href="/other-`)}</body>`;
  expect(found(html)?.kind).toBe("collection");
});
