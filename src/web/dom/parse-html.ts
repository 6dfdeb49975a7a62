import { type Document, type Element, isTag } from "domhandler";
import { parse } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";

export type HtmlDocument = Document;
export type HtmlElement = Element;

/**
 * The tree of a page, as the standard's parser builds it with scripting off: what stands in `noscript` is part of it,
 * and nothing in it runs.
 */
export function parseHtml(html: string): HtmlDocument {
  return parse(html, { treeAdapter: adapter, scriptingEnabled: false });
}

/** Elements only; text, comments and the doctype are left out. */
export function childElements(node: HtmlDocument | HtmlElement): HtmlElement[] {
  return node.children.filter(isTag);
}
