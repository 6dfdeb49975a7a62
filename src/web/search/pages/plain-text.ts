import { openPage } from "./page.ts";

/** Longer texts of an API are cut before they are parsed: nothing of that length is shown. */
const markupCharsMax = 20_000;

/** The text of a piece of HTML, as APIs put it in titles and snippets: tags gone, entities decoded once. */
export async function plainText(html: unknown): Promise<string> {
  if (typeof html !== "string") return "";
  const cut = html.slice(0, markupCharsMax);
  if (!/[<&]/.test(cut)) return cut.replaceAll(/\s+/g, " ").trim();
  const page = await openPage(`<body>${cut}`);
  return page.text(page.first("body"));
}
