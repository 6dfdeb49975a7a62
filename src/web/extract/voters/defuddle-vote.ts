import type { Block } from "../blocks/block.ts";
import { keptBlocks } from "./mark-blocks.ts";

/** Which blocks Defuddle would keep, as `readabilityVote` says it. */
export async function defuddleVote(
  html: string,
  url: string,
  blocks: readonly Block[],
): Promise<boolean[] | undefined> {
  const [{ Defuddle }, { parseHTML }] = await Promise.all([
    import("defuddle/node"),
    import("linkedom"),
  ]);
  try {
    const { document } = parseHTML(html);
    const { content } = await Defuddle(document, url, { useAsync: false });
    return content === "" ? undefined : keptBlocks(content, blocks);
  } catch {
    return undefined;
  }
}
