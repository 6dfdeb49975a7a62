import { type Document, Element, isTag } from "domhandler";
import { type Token, parse } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";
import { AppError } from "../../base/errors.ts";
import { flattenDeep } from "./flatten-deep.ts";

/** Elements of one tree: some 150 MB. Nearly all pages that people read have far fewer. */
const treeElementsMax = 250_000;
/** A page of more start tags is read up to there: room is left for the elements that the standard adds. */
export const startTagsMax = 150_000;
/** The allowance of a short page beyond its share. */
const elementsSpare = 20_000;

export type HtmlDocument = Document;
export type HtmlElement = Element;

/**
 * The tree of a page, as the standard's parser builds it with scripting off: the content of `noscript` is part of it,
 * and nothing in it runs. It is at most `treeDepthMax` levels deep.
 *
 * @param elementsWanted a lower bound on its elements, for pages of which less is known to be enough
 * @throws AppError `limit` when the tree grows beyond its bound: the standard opens unclosed formatting elements again
 * in each paragraph, so that 50 kB of them are gigabytes of tree
 */
export function parseHtml(html: string, elementsWanted: number = treeElementsMax): HtmlDocument {
  // No page has an element for every other character, those that the standard adds included.
  const elementsMax = Math.min(treeElementsMax, elementsWanted, elementsSpare + html.length / 2);
  let elements = 0;
  const counting: typeof adapter = {
    ...adapter,
    createElement(name, namespace, attributes: Token.Attribute[]) {
      elements += 1;
      if (elements > elementsMax) {
        throw new AppError(
          "limit",
          `The page's HTML expands to more than ${Math.floor(elementsMax)} elements; it cannot be read.`,
        );
      }
      const element = new Element(name, Object.create(null) as Record<string, string>, []);
      element.namespace = namespace;
      counting.adoptAttributes(element, attributes);
      return element;
    },
    // The adapter's own keeps namespace and prefix of each attribute, which nobody reads: two objects more an element.
    adoptAttributes({ attribs }, attributes) {
      for (const { name, value } of attributes) attribs[name] ??= value;
    },
  };
  const document = parse(html, { treeAdapter: counting, scriptingEnabled: false });
  flattenDeep(document);
  return document;
}

/** The page up to the tag that would be one too many; the whole where there are not so many. */
export function beginningOf(html: string, tagsMax: number = startTagsMax): string {
  const shortestTag = 3;
  if (html.length <= tagsMax * shortestTag) return html;
  let tags = 0;
  for (const { index } of html.matchAll(/<[a-z]/gi)) {
    tags += 1;
    if (tags > tagsMax) return html.slice(0, index);
  }
  return html;
}

/** Elements only; text, comments and the doctype are left out. */
export function childElements(node: HtmlDocument | HtmlElement): HtmlElement[] {
  return node.children.filter(isTag);
}
