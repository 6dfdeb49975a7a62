import type { Block } from "./block.ts";

/**
 * Blocks as a quote. Code stays outside of it: a sign before each of its lines would hinder copying it, so a quote that
 * holds code is one before and one after.
 */
export function quoted(blocks: readonly Block[]): Block[] {
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
