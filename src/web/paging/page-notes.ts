import { formatCount } from "../../base/amount-text.ts";
import type { CutPage } from "./cut-page.ts";

/** What a line like the one below may take at most, in characters. */
export const pageNoteCharsMax = 160;

/** The line under a page that is not the last one; undefined for the last. */
export function pageNote({ start, end }: CutPage, totalChars: number): string | undefined {
  if (end >= totalChars) return undefined;
  return `[truncated: characters ${formatCount(start)}–${formatCount(end)} of ${formatCount(totalChars)}; call again with start=${end}]`;
}
