import { isHidden } from "../dom/element.ts";
import type { Extraction } from "../extract/page-facts.ts";
import { readBlocks } from "./read-blocks.ts";
import { readInline } from "./read-inline.ts";
import { Budget, outermostPlace, type Conversion, surveyTree } from "./conversion.ts";
import { type Block, writeMarkdown, writeText } from "./write-markdown.ts";

/**
 * The extracted part of a page as GitHub-flavoured Markdown: every address absolute, code verbatim in fences,
 * nothing hidden and no character that nobody sees. Without the title, which is its reader's to show.
 */
export function toMarkdown(extraction: Extraction): string {
  return writeMarkdown(readExtraction(extraction, "markdown"));
}

/** The extracted part of a page as plain text, without marks or addresses. */
export function toPlainText(extraction: Extraction): string {
  return writeText(readExtraction(extraction, "text"));
}

function readExtraction({ root, baseUrl }: Extraction, style: Conversion["style"]): Block[] {
  const conversion: Conversion = {
    baseUrl,
    style,
    survey: surveyTree(root),
    budget: new Budget(),
    readBlocks,
    readInline,
  };
  // The caller that chose the root knows that it is visible.
  const nodes = isHidden(root) ? root.children : [root];
  return conversion.readBlocks(nodes, outermostPlace, conversion);
}
