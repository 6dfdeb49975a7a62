import { cleanText, cutAtWord } from "../clean-text.ts";
import { queryCharsMax } from "../text-limits.ts";
import { openPage } from "./page.ts";

/** The box of a page of results still holds the query; its name is that of the engine's parameter. */
const boxSelector = ["q", "query", "p", "wd", "text"]
  .flatMap((name) => [`input[name="${name}"]`, `textarea[name="${name}"]`])
  .join(", ");

/** The query of a saved page of results; undefined when the page does not contain it. */
export async function askedQuery(text: string): Promise<string | undefined> {
  if (!text.trimStart().startsWith("<")) return undefined;
  const page = await openPage(text).catch(() => undefined);
  return page
    ?.all(boxSelector)
    .map((box) => cutAtWord(cleanText(box.attribs["value"] ?? page.text(box)), queryCharsMax))
    .find((query) => query !== "");
}
