import { formatCount } from "../../base/amount-text.ts";
import type { CutPage } from "./cut-page.ts";

/** The most characters of a line like the one below. */
export const pageNoteCharsMax = 160;

/** The line under a page that is not the last one; undefined for the last. */
export function pageNote({ start, end }: CutPage, totalChars: number): string | undefined {
  if (end >= totalChars) return undefined;
  return `[truncated: characters ${formatCount(start)}–${formatCount(end)} of ${formatCount(totalChars)}; call again with start=${end}]`;
}
