import { isTag, isText } from "domhandler";
import type { ChildNode } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";
import type { Block } from "../blocks/block.ts";

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
  blocks: readonly Block[],
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
      for (let index = node.children.length - 1; index >= 0; index--) {
        const child = node.children[index];
        if (child !== undefined) waiting.push(child);
      }
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
export function keptBlocks(html: string, blocks: readonly Block[]): boolean[] {
  const containers = new Set<HtmlElement>();
  for (const [, mark] of html.matchAll(markPattern)) {
    const block = blocks[Number(mark)];
    if (block !== undefined) containers.add(block.container);
  }
  return blocks.map(({ container }) => containers.has(container));
}
