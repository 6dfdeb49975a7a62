import type { Block } from "../blocks/block.ts";
import { keptBlocks } from "./mark-blocks.ts";

/** Shorter results mean that nothing was found. */
const charsMin = 200;

/**
 * Which blocks Readability would keep of a page that `writeMarkedHtml` wrote; undefined when it finds nothing.
 * Its tree is linkedom's, which both are loaded for here.
 */
export async function readabilityVote(
  html: string,
  blocks: readonly Block[],
): Promise<boolean[] | undefined> {
  const [{ Readability }, { parseHTML }] = await Promise.all([
    import("@mozilla/readability"),
    import("linkedom"),
  ]);
  try {
    const { document } = parseHTML(html);
    const article = new Readability(document, {
      disableJSONLD: true,
      charThreshold: charsMin,
    }).parse();
    const content = article?.content ?? "";
    return content === "" ? undefined : keptBlocks(content, blocks);
  } catch {
    // A page that it cannot handle has one voter less.
    return undefined;
  }
}
