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
  type Conversion,
} from "./conversion.ts";
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
export function readBlocks(
  nodes: readonly ChildNode[],
  place: Place,
  conversion: Conversion,
): Block[] {
  const blocks: Block[] = [];
  let run: ChildNode[] = [];
  const inner = { ...place, depth: place.depth + 1 };
  const flush = (): void => {
    if (run.length > 0) blocks.push(...paragraphs(run, inner, conversion));
    run = [];
  };
  for (const node of nodes) {
    if (conversion.budget.isSpent) break;
    if (!isTag(node)) {
      if (isText(node)) run.push(node);
      continue;
    }
    if (!isBlockLike(node, conversion)) {
      if (!isLabelOfCode(node)) run.push(node);
      continue;
    }
    flush();
    for (const block of readBlock(node, inner, conversion)) blocks.push(block);
  }
  flush();
  return blocks;
}

function isBlockLike(element: HtmlElement, conversion: Conversion): boolean {
  if (isBlockName(element.name) || conversion.survey.hasBlocks.has(element)) return true;
  if (element.name === "code" || element.name === "samp") return isCodeBlock(element);
  return formulaOf(element)?.isDisplay === true;
}

function paragraphs(run: readonly ChildNode[], place: Place, conversion: Conversion): Block[] {
  const text = conversion.readInline(run, place, conversion);
  const parts = text.split(/(?: *\n){2,}/).map((part) => part.trim());
  return parts.filter((part) => part !== "").map((part) => ({ kind: "paragraph", text: part }));
}

function readBlock(element: HtmlElement, place: Place, conversion: Conversion): Block[] {
  if (place.depth > elementDepthMax) return flatText(element, conversion);
  const formula = formulaOf(element);
  if (formula !== undefined)
    return formula.isDisplay
      ? [{ kind: "math", tex: formula.tex }]
      : inlineFormula(formula.tex, conversion);
  if (isUnreadName(element.name) || isHidden(element) || isFormulaResidue(element)) return [];
  if (isPageControl(element) || isLabelOfCode(element)) return [];
  if (isCodeBlock(element)) return readCodeBlock(element, conversion);
  const note = conversion.survey.footnotes.notes.get(element);
  if (note !== undefined) return footnote(note, element, place, conversion);
  const admonition = admonitionOf(element);
  if (admonition !== undefined) return readAdmonition(admonition, place, conversion);
  return readNamed(element, place, conversion);
}

type BlockReader = (element: HtmlElement, place: Place, conversion: Conversion) => Block[];

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

function readNamed(element: HtmlElement, place: Place, conversion: Conversion): Block[] {
  const read = readers.get(element.name) ?? readOther;
  return read(element, place, conversion);
}

function readHeading(element: HtmlElement, place: Place, conversion: Conversion): Block[] {
  return heading(Number(element.name[1]), element, place, conversion);
}

function readRule(): Block[] {
  return [{ kind: "rule" }];
}

/** Deeper than `nestingMax`, the content of lists is read as if it were beside them. */
function unlessTooDeep(read: BlockReader): BlockReader {
  return (element, place, conversion) =>
    place.nesting >= nestingMax
      ? conversion.readBlocks(element.children, place, conversion)
      : read(element, place, conversion);
}

function readQuote({ children }: HtmlElement, place: Place, conversion: Conversion): Block[] {
  return quote(conversion.readBlocks(children, nested(place), conversion), place);
}

function readSummary(element: HtmlElement, place: Place, conversion: Conversion): Block[] {
  const { children } = element;
  if (conversion.survey.hasBlocks.has(element))
    return conversion.readBlocks(children, place, conversion);
  return strongLine(readLine(children, { ...place, isStrong: true }, conversion), conversion);
}

function readOther(element: HtmlElement, place: Place, conversion: Conversion): Block[] {
  if (isTableOfParts(element)) return readTable(element, place, conversion);
  const level =
    attribute(element, "role") === "heading" ? Number(attribute(element, "aria-level") || 2) : 0;
  return level >= 1 && level <= 6
    ? heading(level, element, place, conversion)
    : conversion.readBlocks(element.children, place, conversion);
}

function heading(
  level: number,
  element: HtmlElement,
  place: Place,
  conversion: Conversion,
): Block[] {
  const text = readLine(element.children, { ...place, isStrong: true }, conversion);
  return text === "" ? [] : [{ kind: "heading", level, text }];
}

function quote(blocks: readonly Block[], place: Place): Block[] {
  return place.nesting >= nestingMax ? [...blocks] : quoted(blocks);
}

function strongLine(text: string, conversion: Conversion): Block[] {
  if (text === "") return [];
  return [{ kind: "paragraph", text: conversion.style === "text" ? text : `**${text}**` }];
}

function readAdmonition(
  { title, content }: Admonition,
  place: Place,
  conversion: Conversion,
): Block[] {
  const inner = nested(place);
  const heading =
    title === undefined
      ? []
      : strongLine(readLine(title, { ...inner, isStrong: true }, conversion), conversion);
  return quote([...heading, ...conversion.readBlocks(content, inner, conversion)], place);
}

function readCodeBlock(element: HtmlElement, conversion: Conversion): Block[] {
  const code = readCode(element);
  if (code?.kind !== "code" || !conversion.budget.take(code.text.length)) return [];
  return [code];
}

/** Highlighters write the language above the code: the fence says it. */
function isLabelOfCode(element: HtmlElement): boolean {
  if (!["div", "p", "span", "figcaption"].includes(element.name)) return false;
  if (!siblingsAfter(element, 2).some(isCodeBlock)) return false;
  const text = shortText(element, 24);
  return text !== undefined && isLanguageLabel(element, text);
}

function footnote(
  label: string,
  element: HtmlElement,
  place: Place,
  conversion: Conversion,
): Block[] {
  const isLabel = (node: ChildNode): boolean => isTag(node) && hasClass(node, footnoteLabel);
  const nodes = element.children.filter((node) => !isLabel(node));
  const blocks = conversion.readBlocks(nodes, nested(place), conversion);
  return blocks.length === 0 ? [] : [{ kind: "footnote", label, blocks }];
}

function inlineFormula(tex: string, conversion: Conversion): Block[] {
  if (!conversion.budget.take(tex.length)) return [];
  return [{ kind: "paragraph", text: conversion.style === "text" ? tex : `$${tex}$` }];
}

function flatText(element: HtmlElement, conversion: Conversion): Block[] {
  const text = textOf(element).replace(/\s+/g, " ").trim();
  if (text === "" || !conversion.budget.take(text.length)) return [];
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
function readCard(link: HtmlElement, place: Place, conversion: Conversion): Block[] {
  const blocks = conversion.readBlocks(link.children, { ...place, isLink: true }, conversion);
  const target = linkTarget(attribute(link, "href"), conversion.baseUrl);
  if (target === undefined || place.isLink || conversion.style === "text") return blocks;
  const lines = blocks.filter(isLine);
  // Nested links are invalid: notes and pictures among text keep it from being a link.
  const texts = lines.filter(({ text }) => !text.includes("]("));
  const chosen =
    texts.find(({ kind }) => kind === "heading") ??
    texts[0] ??
    lines.find(({ text }) => picture.test(text));
  if (chosen === undefined || !conversion.budget.take(target.length)) return blocks;
  const text = chosen.text.replace(/ *\n/g, " ");
  const linked = `[${picture.test(text) ? text : escapeBrackets(text)}](${target})`;
  return blocks.map((block) => (block === chosen ? { ...chosen, text: linked } : block));
}

function isLine(block: Block): block is Line {
  return block.kind === "heading" || block.kind === "paragraph";
}
