import { oneLine } from "../../base/cut-text.ts";
import { upstreamIntroductionCharsMax } from "../../base/upstream-limits.ts";
import { cleanText } from "../adapters/clean-text.ts";
import type { JudgedCatalogue } from "../trust/judge-catalogue.ts";

/** Names of tools that stand for a server which says nothing of itself. */
const toolNamesMax = 8;
const toolNamesCharsMax = 300;

/**
 * What a server says of itself as one line in quotes, so that it is not taken for words of ours (TR7); of one that says
 * nothing, what its tools are called. Only what is approved is told. Undefined: there is nothing to tell.
 */
export function introductionOf({ instructions, tools }: JudgedCatalogue): string | undefined {
  if (instructions !== undefined) return quoted(instructions, upstreamIntroductionCharsMax);
  const names = tools.flatMap(({ state, item }) => (state === "approved" ? [item.name] : []));
  if (names.length === 0) return undefined;
  const shown = quoted(names.slice(0, toolNamesMax).join(", "), toolNamesCharsMax);
  const more = names.length - toolNamesMax;
  return more > 0 ? `tools ${shown} and ${more} more` : `tools ${shown}`;
}

function quoted(text: string, charsMax: number): string {
  // Its own quotes would end ours.
  const said = cleanText(text).replaceAll('"', "'");
  return `"${oneLine(said, charsMax - 2)}"`;
}
