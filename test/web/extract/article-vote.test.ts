import { describe, expect, test } from "bun:test";

import { articleVote } from "../../../src/web/extract/article-vote.ts";
import { pageBlocks } from "./blocks/page-blocks.ts";

const sentence =
  "The river bends, because the water erodes the outer bank, and it does so year after year. ";
const article = `<article><h1>Rivers</h1>${`<p>${sentence.repeat(3)}</p>`.repeat(6)}</article>`;
const beside = `<aside class="sidebar related">${"<p><a href=/x>Another story about rivers</a></p>".repeat(6)}</aside>`;
const isArticle = '<meta property="og:type" content="article">';

const voteOn = async (html: string, opinion: number): Promise<readonly string[] | undefined> => {
  const { page, blocks } = pageBlocks(html);
  const vote = await articleVote(
    page,
    blocks,
    blocks.map(() => opinion),
  );
  if (vote === undefined) return undefined;
  return [
    ...new Set(
      blocks.filter((_, index) => vote[index] === true).map(({ container }) => container.name),
    ),
  ];
};

describe("articleVote()", () => {
  test("keeps what Readability and the opinions have in common", async () => {
    const { page, blocks } = pageBlocks(isArticle + article + beside);
    const opinions = blocks.map((_, index) => (index === 2 ? 0.1 : 0.9));
    const vote = await articleVote(page, blocks, opinions);
    expect(blocks.map(({ text }, index) => [text.slice(0, 9), vote?.[index]]).slice(1, 8)).toEqual([
      ["The river", true],
      ["The river", false],
      ["The river", true],
      ["The river", true],
      ["The river", true],
      ["The river", true],
      ["Another s", false],
    ]);
  });

  test.each([
    ["a page that is no article", article + beside, 0.9],
    [
      "a thread of a forum",
      `${isArticle}<div itemscope itemtype="https://schema.org/DiscussionForumPosting">${article}</div>`,
      0.9,
    ],
    ["a choice that is hardly content", isArticle + article + beside, 0.35],
    ["a page that would take it long", isArticle + "<div>".repeat(390) + article.repeat(400), 0.9],
    ["a teaser", `${isArticle}<article><p>${sentence.repeat(3)}</p></article>`, 0.9],
  ])("has no say on %s", async (_, html, opinion) => {
    expect(await voteOn(html, opinion)).toBeUndefined();
  });
});
