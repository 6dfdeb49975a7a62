import type { Block } from "../blocks/block.ts";
import type { PageFacts } from "../page-facts.ts";
import { findElements } from "../../dom/walk.ts";

const typeGroups: readonly RegExp[] = [
  /article|blogposting|report|og:article/,
  /^product$|og:product/,
  /collectionpage|itemlist|searchresults|productgroup/,
  /discussionforum|qapage|question/,
  /techarticle|apireference|softwaresource/,
  /localbusiness|organization|service|faqpage/,
];

const tagsCounted = ["article", "main", "h1", "h2", "pre", "table", "li", "p", "form"] as const;

export const pageFeatureNames: readonly string[] = [
  "page.chars",
  "page.links",
  "page.blocks",
  "page.longShare",
  "page.codeShare",
  "page.pathDepth",
  ...tagsCounted.map((tag) => `page.${tag}`),
  ...typeGroups.map((_, index) => `page.type.${index}`),
];

/** A block of this length is most likely prose. */
const longChars = 150;

/** Features that all blocks of a page share. */
export function pageFeatures(page: PageFacts, blocks: readonly Block[]): number[] {
  const total = Math.max(
    sum(blocks, ({ chars }) => chars),
    1,
  );
  const long = sum(blocks, ({ chars, linkChars }) => (chars - linkChars > longChars ? chars : 0));
  const code = sum(blocks, ({ nodes, chars }) =>
    nodes.some((node) => "name" in node && node.name === "pre") ? chars : 0,
  );
  const counts = new Map<string, number>(tagsCounted.map((tag) => [tag, 0]));
  for (const { name } of findElements(page.body, (element) => counts.has(element.name))) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const types = [...page.structured.types];
  return [
    Math.log1p(total),
    sum(blocks, ({ linkChars }) => linkChars) / total,
    Math.log1p(blocks.length),
    long / total,
    code / total,
    (URL.parse(page.url)?.pathname ?? "").split("/").filter((part) => part !== "").length,
    ...tagsCounted.map((tag) => Math.log1p(counts.get(tag) ?? 0)),
    ...typeGroups.map((group) => (types.some((type) => group.test(type)) ? 1 : 0)),
  ];
}

function sum(blocks: readonly Block[], of: (block: Block) => number): number {
  return blocks.reduce((total, block) => total + of(block), 0);
}
