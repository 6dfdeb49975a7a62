import { describe, expect, test } from "bun:test";

import {
  blockFeatureNames,
  blockFeatures,
  contextFeatureNames,
  contextFeatures,
} from "../../../../src/web/extract/features/block-features.ts";
import { pageBlocks } from "../blocks/page-blocks.ts";

const html = `
<title>How rivers bend | Example</title>
<meta property="og:type" content="article">
<script type="application/ld+json">{"@type":"NewsArticle","articleBody":"Rivers bend, because water erodes the outer bank faster than the inner one."}</script>
<nav class="main-menu"><ul><li><a href="/">Home</a><li><a href="/about">About us</a></ul></nav>
<article class="post">
  <h1>How rivers bend</h1>
  <div class="articleBody entry-content">
    <p>Rivers bend, because water erodes the outer bank faster than the inner one. It is a slow process, and
    it takes many years, during which the bed of the river moves, and with it whatever stands beside it.</p>
    <pre>a = b</pre>
  </div>
  <div class="share-buttons">Share on Facebook</div>
</article>
<footer class="site-footer">© 2026 Example. All rights reserved.</footer>`;

const { page, blocks } = pageBlocks(html);
const rows = blockFeatures(page, blocks);

/** The value of `name` for the block whose text begins with `start`. */
function feature(start: string, name: string): number | undefined {
  const index = blocks.findIndex(({ text }) => text.startsWith(start));
  return rows[index]?.[blockFeatureNames.indexOf(name)];
}

describe("blockFeatures()", () => {
  test("are as many as they have names, and all are numbers", () => {
    expect(new Set(blockFeatureNames).size).toBe(blockFeatureNames.length);
    expect(rows.map((row) => row.length)).toEqual(blocks.map(() => blockFeatureNames.length));
    expect(rows.every((row) => row.every(Number.isFinite))).toBe(true);
  });

  test.each([
    ["the name of a menu, from its items", "Home", "name.6", 3],
    ["no such name around the text", "Rivers", "name.6", 12],
    ["the body of the article", "Rivers", "name.0", 1],
    ["sharing", "Share", "name.3", 0],
    ["the end of the page", "©", "name.7", 0],
    ["the role of nav", "Home", "role.nav", 3],
    ["the role of article", "Rivers", "role.article", 2],
    ["links", "Home", "text.links", 1],
    ["an end of a sentence", "Rivers", "text.endsSentence", 1],
    ["the title", "How", "place.isTitle", 1],
    ["before the title", "Home", "place.afterTitle", -1],
    ["after the title", "Share", "place.afterTitle", 1],
    ["words that the page calls its body", "Share", "place.body", 0],
    ["a phrase about copyright", "©", "phrase.2", 1],
    ["a phrase about sharing", "Share", "phrase.0", 1],
    ["the type of the page", "Rivers", "page.type.0", 1],
    ["code", "a = b", "kind", 3],
  ])("%s", (_, start, name, expected) => {
    expect(feature(start, name)).toBe(expected);
  });

  test("the text that the page calls its body is found again", () => {
    expect(feature("Rivers", "place.body")).toBeGreaterThan(0.2);
  });
});

describe("contextFeatures()", () => {
  const opinions = blocks.map((_, index) => index / blocks.length);
  const context = contextFeatures(blocks, opinions, 0.5);

  test("are as many as they have names, and all are numbers", () => {
    expect(new Set(contextFeatureNames).size).toBe(contextFeatureNames.length);
    const all = blocks.map((_, index) => context(index));
    expect(all.map((row) => row.length)).toEqual(blocks.map(() => contextFeatureNames.length));
    expect(all.every((row) => row.every(Number.isFinite))).toBe(true);
  });

  test.each([
    ["its own opinion", 2, "first.own", opinions[2]],
    ["the one before", 2, "first.at-1", opinions[1]],
    ["the one after", 2, "first.at1", opinions[3]],
    ["before the first block", 0, "first.at-1", -1],
    ["the cut", 0, "first.cut", 0.5],
  ])("%s", (_, index, name, expected) => {
    expect(context(index)[contextFeatureNames.indexOf(name)]).toBe(expected);
  });
});
