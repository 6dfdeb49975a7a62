import type { HtmlElement } from "../dom/parse-html.ts";
import type { Block } from "./block.ts";
import { attribute } from "../dom/element.ts";
import { escapeBrackets } from "./escape-text.ts";
import { linkTarget } from "./link-target.ts";
import type { Place, Reading } from "./reading.ts";

const picture = /^!\[[^[\]]*\]\([^()\s]*\)$/;

type Line = Extract<Block, { text: string; kind: "heading" | "paragraph" }>;

/** A link around blocks: its heading, else its first text, else its picture becomes the link. */
export function readCard(link: HtmlElement, place: Place, reading: Reading): Block[] {
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
