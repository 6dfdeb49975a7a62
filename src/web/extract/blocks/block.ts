import type { ChildNode } from "domhandler";

import type { HtmlElement } from "../../dom/parse-html.ts";

/**
 * A run of text that a browser shows as one block: a paragraph, a heading, a cell, an item. Blocks do not
 * overlap, and together they hold all text of the page, in its order.
 */
export interface Block {
  /** Neighbours in the tree, all children of `container`: text and inline elements, or one `pre`. */
  readonly nodes: readonly ChildNode[];
  /** The element whose box the text is in. */
  readonly container: HtmlElement;
  /** On one line; the beginning only of a very long one. */
  readonly text: string;
  /** Of the whole block, white space collapsed. */
  readonly chars: number;
  readonly linkChars: number;
  readonly stops: number;
}
