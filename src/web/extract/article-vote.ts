import { type ChildNode, isTag, isText } from "domhandler";

import { type HtmlElement, pushNodes } from "../dom/parse-html.ts";
import type { ContentBlock } from "./blocks/find-blocks.ts";
import { weightOf } from "./blocks/judge-blocks.ts";
import type { PageFacts } from "./page-facts.ts";

/** Types of schema.org and OpenGraph with one text at their centre. */
const articleTypes = /^(?:og:article|(?:\w*newsarticle|article|blogposting))$/;
/** Types with many texts, or none. */
const otherTypes =
  /^(?:discussionforumposting|qapage|product|collectionpage|itemlist|og:product.*)$/;
/** A voter has missed the text when its choice is less likely content than this. */
const opinionMin = 0.4;
/** Elements that are most likely something else are removed, whatever a voter says. */
const doubtMax = 0.3;
/** A voter that finds less prose, in characters, has found a teaser. */
const proseCharsMin = 700;
/** Voters take a second for so much HTML, in characters. Real articles have half of it at most. */
const htmlCharsMax = 600_000;
/** Voters ask elements about their ancestors, over and over: they take a second for so much. Real articles have a quarter at most. */
const treeWorkMax = 200_000;

/**
 * Which blocks of a doubtful article both Readability and the opinions take for content; undefined
 * where Readability has no say: on other pages it mistakes parts for the whole.
 */
export async function articleVote(
  page: PageFacts,
  blocks: readonly ContentBlock[],
  opinions: readonly number[],
): Promise<boolean[] | undefined> {
  const types = [...page.structured.types];
  if (!types.some((type) => articleTypes.test(type))) return undefined;
  if (types.some((type) => otherTypes.test(type))) return undefined;
  if (treeWork(page.body, treeWorkMax) > treeWorkMax) return undefined;
  const html = writeMarkedHtml(page.body, page.title, blocks);
  const vote = html.length > htmlCharsMax ? undefined : await readabilityVote(html, blocks);
  if (vote === undefined || meanOpinion(blocks, opinions, vote) < opinionMin) return undefined;
  if (proseChars(blocks, vote) < proseCharsMin) return undefined;
  return vote.map((isKept, index) => isKept && (opinions[index] ?? 0) > doubtMax);
}

function meanOpinion(
  blocks: readonly ContentBlock[],
  opinions: readonly number[],
  vote: readonly boolean[],
): number {
  let [sum, total] = [0, 0];
  for (const [index, block] of blocks.entries()) {
    if (vote[index] !== true) continue;
    sum += (opinions[index] ?? 0) * weightOf(block);
    total += weightOf(block);
  }
  return total === 0 ? 0 : sum / total;
}

function proseChars(blocks: readonly ContentBlock[], vote: readonly boolean[]): number {
  return blocks.reduce(
    (sum, { chars, linkChars }, index) => sum + (vote[index] === true ? chars - linkChars : 0),
    0,
  );
}

/**
 * The levels above all elements below `root`, added up: the cost of asking each element about its
 * ancestors. Counting ends above `workMax`.
 */
export function treeWork(root: HtmlElement, workMax: number): number {
  let work = 0;
  const waiting = [{ element: root, depth: 1 }];
  for (let top = waiting.pop(); top !== undefined && work <= workMax; top = waiting.pop()) {
    work += top.depth;
    for (const child of top.element.children) {
      if (isTag(child)) waiting.push({ element: child, depth: top.depth + 1 });
    }
  }
  return work;
}

/** Shorter results mean that nothing was found. */
const charsMin = 200;

/**
 * Which blocks Readability would keep of a page that `writeMarkedHtml` wrote; undefined when it finds nothing.
 * Its tree is linkedom's, which both are loaded for here.
 */
async function readabilityVote(
  html: string,
  blocks: readonly ContentBlock[],
): Promise<boolean[] | undefined> {
  const [{ Readability }, { parseHTML }] = await Promise.all([
    import("@mozilla/readability"),
    import("linkedom"),
  ]);
  try {
    const { document } = parseHTML(html);
    const article = new Readability(document, {
      disableJSONLD: true,
      charThreshold: charsMin,
    }).parse();
    const content = article?.content ?? "";
    return content === "" ? undefined : keptBlocks(content, blocks);
  } catch {
    // A page that it cannot handle has one voter less.
    return undefined;
  }
}

/** The attribute that carries the number of the first block of an element. */
const markName = "data-block";
const markPattern = /data-block="(\d+)"/g;
/** Attributes that voters look at. */
const attributesKept = ["id", "class", "role", "itemprop", "rel"] as const;
const voidNames = new Set(["br", "hr", "img", "wbr"]);
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/**
 * The page as HTML in which every element with text of its own carries a mark, so that a voter's choice can be read
 * from its output. Written without recursion.
 */
export function writeMarkedHtml(
  body: HtmlElement,
  title: string,
  blocks: readonly ContentBlock[],
): string {
  const marks = new Map<HtmlElement, number>();
  for (const [index, { container }] of blocks.entries()) {
    if (!marks.has(container)) marks.set(container, index);
  }
  const parts = [`<!doctype html><html><head><title>${escape(title)}</title></head>`];
  const waiting: (ChildNode | string)[] = [body];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node === "string") parts.push(node);
    else if (isText(node)) parts.push(escape(node.data));
    else if (isTag(node)) {
      parts.push(openTag(node, marks.get(node)));
      if (voidNames.has(node.name)) continue;
      waiting.push(`</${node.name}>`);
      pushNodes(node.children, waiting);
    }
  }
  parts.push("</html>");
  return parts.join("");
}

function openTag({ name, attribs }: HtmlElement, mark: number | undefined): string {
  let tag = `<${name}`;
  for (const attribute of attributesKept) {
    const value = attribs[attribute];
    if (value !== undefined) tag += ` ${attribute}="${escape(value)}"`;
  }
  // Where a link leads makes no difference but for links within the page.
  if (name === "a" && attribs["href"] !== undefined) {
    tag += attribs["href"].startsWith("#") ? ' href="#"' : ' href="/"';
  }
  return mark === undefined ? `${tag}>` : `${tag} ${markName}="${mark}">`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? character);
}

/** Whether each block is in an element that `html`, the output of a voter, has kept. */
export function keptBlocks(html: string, blocks: readonly ContentBlock[]): boolean[] {
  const containers = new Set<HtmlElement>();
  for (const [, mark] of html.matchAll(markPattern)) {
    const block = blocks[Number(mark)];
    if (block !== undefined) containers.add(block.container);
  }
  return blocks.map(({ container }) => containers.has(container));
}
