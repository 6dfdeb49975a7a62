import { type ContentBlock, findBlocks } from "../../../../src/web/extract/blocks/find-blocks.ts";
import { type PageFacts, readPageFacts } from "../../../../src/web/extract/page-facts.ts";

/** A page and its blocks. */
export function pageBlocks(html: string): {
  readonly page: PageFacts;
  readonly blocks: ContentBlock[];
} {
  const page = readPageFacts(html, "https://example.org/path/page");
  return { page, blocks: findBlocks(page.body, page.measure) };
}
