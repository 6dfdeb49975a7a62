import { findElements } from "../../dom/parse-html.ts";
import type { ContentBlock } from "../blocks/find-blocks.ts";
import type { PageFacts } from "../page-facts.ts";

const phrases: readonly RegExp[] = [
  /\b(?:share|tweet|follow us|like us|pin it|whatsapp|facebook|twitter|linkedin|instagram|e-?mail this)\b/i,
  /\b(?:subscribe|newsletter|sign ?up|sign ?in|log ?in|create (?:an )?account|register|join (?:now|us)|get (?:the app|started)|free trial|unsubscribe|inbox)\b/i,
  /\b(?:cookies?|privacy|terms of|all rights reserved|copyright)\b|©/i,
  /\b(?:related|recommended|read (?:more|next|also|now)|more (?:from|on|stories|articles|posts|news|about)|see also|you (?:may|might) (?:also )?(?:like|be interested)|popular|trending|latest|most read|learn more|view all|see (?:all|more)|show more|load more|up next)\b/i,
  /\b(?:comments?|repl(?:y|ies)|leave a|be the first|responses?)\b/i,
  /\b(?:advertisement|advertising|sponsored|promoted|affiliate|paid content|partner content)\b/i,
  /^\s*(?:by|written by|posted by|published|updated|posted|author|reporting by|photo|image|source|credit|filed under|tags?|categor(?:y|ies)|topics?)\b|\bmin(?:ute)?s? read\b/i,
  /\b(?:\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}-\d{2}-\d{2}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}|\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\d+ (?:hours?|days?|weeks?|months?|years?|minutes?|mins?) ago)\b/i,
  /[$€£¥₹]\s?\d|\b\d+(?:[.,]\d+)?\s?(?:usd|eur|gbp|€|£)/i,
  /\b(?:add to (?:cart|basket|bag|wishlist|wish list)|buy now|checkout|out of stock|in stock|quantity|qty|free (?:shipping|delivery)|shop now|compare|wishlist|sale)\b/i,
  /\b(?:next|previous|prev|back|home|menu|search|close|skip|top|print|edit|copy|page \d|cancel|submit|loading|contact|about|help)\b/i,
  /\b(?:was this (?:page|article)|helpful|feedback|edit this page|report (?:a|an|this)|suggest|on this page|in this article|table of contents|last (?:updated|modified|edited))\b/i,
];

/** Longer blocks say such things in passing. */
const phraseCharsMax = 160;

export const textFeatureNames: readonly string[] = [
  "text.chars",
  "text.words",
  "text.links",
  "text.stopRate",
  "text.wordChars",
  "text.digits",
  "text.capitals",
  "text.endsSentence",
  "text.endsColon",
  "text.endsEllipsis",
  ...phrases.map((_, index) => `phrase.${index}`),
];

/** Features of a block's words alone. */
export function textFeatures(block: ContentBlock): number[] {
  const { text, chars } = block;
  const words = countWords(text);
  return [
    Math.log1p(chars),
    words,
    block.linkChars / chars,
    block.stops / Math.max(words, 1),
    text.length / words,
    countDigits(text) / text.length,
    countCapitals(text) / words,
    /[.!?。！？।؟…]["'”’»)\]]*$/.test(text) ? 1 : 0,
    text.endsWith(":") || text.endsWith("：") ? 1 : 0,
    text.endsWith("…") || text.endsWith("...") || text.endsWith("[…]") ? 1 : 0,
    ...phraseFeatures(text),
  ];
}

function countDigits(text: string): number {
  let digits = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) digits++;
  }
  return digits;
}

/** Words are separated by single spaces: texts of blocks are on one line. */
function countWords(text: string): number {
  let words = 1;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) === 0x20) words++;
  return words;
}

/** Words that begin with a capital letter. */
function countCapitals(text: string): number {
  let capitals = 0;
  let isStart = true;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isStart && isCapital(text, index, code)) capitals++;
    isStart = code === 0x20;
  }
  return capitals;
}

function isCapital(text: string, index: number, code: number): boolean {
  // Most letters are ASCII.
  if (code < 0x80) return code >= 0x41 && code <= 0x5a;
  return /^\p{Lu}/u.test(String.fromCodePoint(text.codePointAt(index) ?? code));
}

const noPhrases: readonly number[] = phrases.map(() => 0);

/** The phrases of pages about themselves that occur in a short text. */
export function phraseFeatures(text: string): readonly number[] {
  if (text.length > phraseCharsMax) return noPhrases;
  return phrases.map((phrase) => (phrase.test(text) ? 1 : 0));
}

export const phraseCount: number = phrases.length;

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
export function pageFeatures(page: PageFacts, blocks: readonly ContentBlock[]): number[] {
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

function sum(blocks: readonly ContentBlock[], of: (block: ContentBlock) => number): number {
  return blocks.reduce((total, block) => total + of(block), 0);
}
