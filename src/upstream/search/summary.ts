import { oneLine } from "../../base/cut-text.ts";
import { toolSummaryCharsMax } from "../../base/upstream-limits.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";

/** What a tool does, on one line: the first sentence of its description, else its title. */
export function summaryOf({
  description,
  title,
}: Pick<ToolListing, "description" | "title">): string {
  // Long descriptions are read as far as a line can go, and a bit on.
  const text = description.slice(0, 4 * toolSummaryCharsMax).trim();
  const sentence = /^.+?[.!?。](?=\s|$)/su.exec(text)?.[0] ?? text.split(/\n\s*\n/)[0] ?? "";
  return oneLine(sentence === "" ? (title ?? "") : sentence, toolSummaryCharsMax);
}
