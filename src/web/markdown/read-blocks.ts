import { type ChildNode, isTag, isText } from "domhandler";

import { admonitionOf, type Admonition } from "../dom/admonition.ts";
import {
  attribute,
  hasClass,
  isPageControl,
  isHidden,
  shortText,
  siblingsAfter,
  textOf,
} from "../dom/element.ts";
import type { HtmlElement } from "../dom/parse-html.ts";
import { isLanguageLabel } from "./code-language.ts";
import {
  byName,
  isBlockName,
  isUnreadName,
  elementDepthMax,
  nested,
  nestingMax,
  type Place,
  readLine,
  type Reading,
} from "./reading.ts";
import { escapeBrackets } from "./inline-text.ts";
import { formulaOf, isFormulaResidue } from "./math.ts";
import { isCodeBlock, readCode } from "./read-code.ts";
import { readDefinitions, readList } from "./read-list.ts";
import { linkTarget } from "./read-media.ts";
import { readTable } from "./read-table.ts";
import { isTableOfParts } from "./table-grid.ts";
import type { Block } from "./write-markdown.ts";

/** The number of a note, which its label says. */
const footnoteLabel = /(?:^|\s)(?:label|footnote-label|fn-label)(?:\s|$)/;

/** The content of `nodes`, as blocks: runs of text between them are paragraphs. */
export function readBlocks(nodes: readonly ChildNode[], place: Place, reading: Reading): Block[] {
  const blocks: Block[] = [];
  let run: ChildNode[] = [];
  const inner = { ...place, depth: place.depth + 1 };
  const flush = (): void => {
    if (run.length > 0) blocks.push(...paragraphs(run, inner, reading));
    run = [];
  };
  for (const node of nodes) {
    if (reading.budget.isSpent) break;
    if (!isTag(node)) {
      if (isText(node)) run.push(node);
      continue;
    }
    if (!isBlockLike(node, reading)) {
      if (!isLabelOfCode(node)) run.push(node);
      continue;
    }
    flush();
    for (const block of readBlock(node, inner, reading)) blocks.push(block);
  }
  flush();
  return blocks;
}

function isBlockLike(element: HtmlElement, reading: Reading): boolean {
  if (isBlockName(element.name) || reading.survey.hasBlocks.has(element)) return true;
  if (element.name === "code" || element.name === "samp") return isCodeBlock(element);
  return formulaOf(element)?.isDisplay === true;
}

function paragraphs(run: readonly ChildNode[], place: Place, reading: Reading): Block[] {
  const text = reading.readInline(run, place, reading);
  const parts = text.split(/(?: *\n){2,}/).map((part) => part.trim());
  return parts.filter((part) => part !== "").map((part) => ({ kind: "paragraph", text: part }));
}

function readBlock(element: HtmlElement, place: Place, reading: Reading): Block[] {
  if (place.depth > elementDepthMax) return flatText(element, reading);
  const formula = formulaOf(element);
  if (formula !== undefined)
    return formula.isDisplay
      ? [{ kind: "math", tex: formula.tex }]
      : inlineFormula(formula.tex, reading);
  if (isUnreadName(element.name) || isHidden(element) || isFormulaResidue(element)) return [];
  if (isPageControl(element) || isLabelOfCode(element)) return [];
  if (isCodeBlock(element)) return readCodeBlock(element, reading);
  const note = reading.survey.footnotes.notes.get(element);
  if (note !== undefined) return footnote(note, element, place, reading);
  const admonition = admonitionOf(element);
  if (admonition !== undefined) return readAdmonition(admonition, place, reading);
  return readNamed(element, place, reading);
}

type BlockReader = (element: HtmlElement, place: Place, reading: Reading) => Block[];

/** Elements whose names say how to read them. */
const readers = byName<BlockReader>([
  ["h1 h2 h3 h4 h5 h6", readHeading],
  ["hr", readRule],
  ["ul ol menu dir li", unlessTooDeep(readList)],
  ["dl", unlessTooDeep(readDefinitions)],
  ["blockquote", readQuote],
  ["table", readTable],
  ["summary legend", readSummary],
  ["a", readCard],
]);

function readNamed(element: HtmlElement, place: Place, reading: Reading): Block[] {
  const read = readers.get(element.name) ?? readOther;
  return read(element, place, reading);
}

function readHeading(element: HtmlElement, place: Place, reading: Reading): Block[] {
  return heading(Number(element.name[1]), element, place, reading);
}

function readRule(): Block[] {
  return [{ kind: "rule" }];
}

/** Deeper than `nestingMax`, the content of lists is read as if it were beside them. */
function unlessTooDeep(read: BlockReader): BlockReader {
  return (element, place, reading) =>
    place.nesting >= nestingMax
      ? reading.readBlocks(element.children, place, reading)
      : read(element, place, reading);
}

function readQuote({ children }: HtmlElement, place: Place, reading: Reading): Block[] {
  return quote(reading.readBlocks(children, nested(place), reading), place);
}

function readSummary(element: HtmlElement, place: Place, reading: Reading): Block[] {
  const { children } = element;
  if (reading.survey.hasBlocks.has(element)) return reading.readBlocks(children, place, reading);
  return strongLine(readLine(children, { ...place, isStrong: true }, reading), reading);
}

function readOther(element: HtmlElement, place: Place, reading: Reading): Block[] {
  if (isTableOfParts(element)) return readTable(element, place, reading);
  const level =
    attribute(element, "role") === "heading" ? Number(attribute(element, "aria-level") || 2) : 0;
  return level >= 1 && level <= 6
    ? heading(level, element, place, reading)
    : reading.readBlocks(element.children, place, reading);
}

function heading(level: number, element: HtmlElement, place: Place, reading: Reading): Block[] {
  const text = readLine(element.children, { ...place, isStrong: true }, reading);
  return text === "" ? [] : [{ kind: "heading", level, text }];
}

function quote(blocks: readonly Block[], place: Place): Block[] {
  return place.nesting >= nestingMax ? [...blocks] : quoted(blocks);
}

function strongLine(text: string, reading: Reading): Block[] {
  if (text === "") return [];
  return [{ kind: "paragraph", text: reading.style === "text" ? text : `**${text}**` }];
}

function readAdmonition({ title, content }: Admonition, place: Place, reading: Reading): Block[] {
  const inner = nested(place);
  const heading =
    title === undefined
      ? []
      : strongLine(readLine(title, { ...inner, isStrong: true }, reading), reading);
  return quote([...heading, ...reading.readBlocks(content, inner, reading)], place);
}

function readCodeBlock(element: HtmlElement, reading: Reading): Block[] {
  const code = readCode(element);
  if (code?.kind !== "code" || !reading.budget.take(code.text.length)) return [];
  return [code];
}

/** Highlighters write the language above the code: the fence says it. */
function isLabelOfCode(element: HtmlElement): boolean {
  if (!["div", "p", "span", "figcaption"].includes(element.name)) return false;
  if (!siblingsAfter(element, 2).some(isCodeBlock)) return false;
  const text = shortText(element, 24);
  return text !== undefined && isLanguageLabel(element, text);
}

function footnote(label: string, element: HtmlElement, place: Place, reading: Reading): Block[] {
  const isLabel = (node: ChildNode): boolean => isTag(node) && hasClass(node, footnoteLabel);
  const nodes = element.children.filter((node) => !isLabel(node));
  const blocks = reading.readBlocks(nodes, nested(place), reading);
  return blocks.length === 0 ? [] : [{ kind: "footnote", label, blocks }];
}

function inlineFormula(tex: string, reading: Reading): Block[] {
  if (!reading.budget.take(tex.length)) return [];
  return [{ kind: "paragraph", text: reading.style === "text" ? tex : `$${tex}$` }];
}

function flatText(element: HtmlElement, reading: Reading): Block[] {
  const text = textOf(element).replace(/\s+/g, " ").trim();
  if (text === "" || !reading.budget.take(text.length)) return [];
  return [{ kind: "paragraph", text }];
}

/**
 * Blocks as a quote. Code stays outside of it: a sign before each of its lines would hinder copying it, so a quote that
 * holds code is one before and one after.
 */
function quoted(blocks: readonly Block[]): Block[] {
  const parts: Block[] = [];
  let run: Block[] = [];
  const flush = (): void => {
    if (run.length > 0) parts.push({ kind: "quote", blocks: run });
    run = [];
  };
  for (const block of blocks) {
    if (block.kind !== "code") {
      run.push(block);
      continue;
    }
    flush();
    parts.push(block);
  }
  flush();
  return parts;
}

const picture = /^!\[[^[\]]*\]\([^()\s]*\)$/;

type Line = Extract<Block, { text: string; kind: "heading" | "paragraph" }>;

/** A link around blocks: its heading, else its first text, else its picture becomes the link. */
function readCard(link: HtmlElement, place: Place, reading: Reading): Block[] {
  const blocks = reading.readBlocks(link.children, { ...place, isLink: true }, reading);
  const target = linkTarget(attribute(link, "href"), reading.baseUrl);
  if (target === undefined || place.isLink || reading.style === "text") return blocks;
  const lines = blocks.filter(isLine);
  // Nested links are invalid: notes and pictures among text keep it from being a link.
  const texts = lines.filter(({ text }) => !text.includes("]("));
  const chosen =
    texts.find(({ kind }) => kind === "heading") ??
    texts[0] ??
    lines.find(({ text }) => picture.test(text));
  if (chosen === undefined || !reading.budget.take(target.length)) return blocks;
  const text = chosen.text.replace(/ *\n/g, " ");
  const linked = `[${picture.test(text) ? text : escapeBrackets(text)}](${target})`;
  return blocks.map((block) => (block === chosen ? { ...chosen, text: linked } : block));
}

function isLine(block: Block): block is Line {
  return block.kind === "heading" || block.kind === "paragraph";
}
