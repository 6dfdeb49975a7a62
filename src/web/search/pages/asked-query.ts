import { cleanText, cutAtWord } from "../clean-text.ts";
import { queryCharsMax } from "../text-limits.ts";
import { openPage } from "./page.ts";

/** The box of a page of results still holds what was searched for; its name is that of the engine's parameter. */
const boxSelector = ["q", "query", "p", "wd", "text"]
  .flatMap((name) => [`input[name="${name}"]`, `textarea[name="${name}"]`])
  .join(", ");

/** What a saved page of results was asked for; undefined when it does not say. */
export async function askedQuery(text: string): Promise<string | undefined> {
  if (!text.trimStart().startsWith("<")) return undefined;
  const page = await openPage(text).catch(() => undefined);
  return page
    ?.all(boxSelector)
    .map((box) => cutAtWord(cleanText(box.attribs["value"] ?? page.text(box)), queryCharsMax))
    .find((query) => query !== "");
}
