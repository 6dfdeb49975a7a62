import { readPage } from "./pages.ts";

/** A fenced block of a page. */
export interface DocBlock {
  readonly language: string;
  readonly body: string;
  /** What stands between it and the heading or block before it. */
  readonly before: string;
  readonly heading: string;
  /** Of its first line, from 1. */
  readonly line: number;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(file: string): readonly DocBlock[] {
  const { text } = readPage(file);
  const blocks: DocBlock[] = [];
  let end = 0;
  for (const match of text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const [whole, language = "", body = ""] = match;
    const above = text.slice(0, match.index);
    const heading = [...above.matchAll(/^#+ (.+)$/gm)].at(-1);
    const from = Math.max(end, (heading?.index ?? 0) + (heading?.[0].length ?? 0));
    const line = above.split("\n").length + 1;
    blocks.push({
      language,
      body,
      before: text.slice(from, match.index),
      heading: heading?.[1] ?? "",
      line,
    });
    end = match.index + whole.length;
  }
  return blocks;
}
