import { openPage } from "./page.ts";
/** An absolute `http:` or `https:` URL as it should be shown, or undefined. */
export function webUrl(written: string | undefined, base?: string): string | undefined {
  if (written === undefined || written.trim() === "") return undefined;
  const text = written.trim();
  const url = base === undefined ? URL.parse(text) : URL.parse(text, base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  // A direct address keeps the spelling that the engine gave it, unless the parser had to mend it.
  return /^https?:\/\/[^\s\\"<>]+$/i.test(text) && url.href.startsWith(text) ? text : url.href;
}

/** Percent escapes decoded once; undefined when they are not well formed. */
export function decodeEscapes(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** `YYYY-MM-DD` of a moment that an API gives as text or as seconds since 1970; undefined when it is not a date. */
export function isoDate(moment: string | number | undefined): string | undefined {
  if (moment === undefined || moment === "") return undefined;
  const date = new Date(typeof moment === "number" ? moment * 1000 : moment);
  // Before the Web there were no pages; a date later than any clock is a mistake.
  const year = date.getUTCFullYear();
  return year >= 1990 && year <= 2100 ? date.toISOString().slice(0, 10) : undefined;
}

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
