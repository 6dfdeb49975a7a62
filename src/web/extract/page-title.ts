import type { HtmlDocument, HtmlElement } from "../dom/parse-html.ts";
import { lineText } from "../dom/node-text.ts";
import { isPermalink } from "../dom/furniture.ts";
import { findElements } from "../dom/walk.ts";

/** Longer ones are not titles. */
const titleCharsMax = 300;

/** Elements that contain the title of a page. */
const speakingNames = new Set(["title", "meta", "h1"]);

/** Separators between a title and the name of its site. */
const separator = /\s+[|\-–—·•»«/:\\]\s+|\s*[|»]\s*/;

/** The title of a page without the name of its site; empty when the page does not say. */
export function findPageTitle(document: HtmlDocument): string {
  const speaking = findElements(document, ({ name }) => speakingNames.has(name));
  const titles = speaking.filter(({ name }) => name === "title");
  const metas = speaking.filter(({ name }) => name === "meta");
  const written = titles[0] === undefined ? "" : lineText(titles[0], titleCharsMax);
  const meta = metaContent(metas, "og:title") || metaContent(metas, "twitter:title");
  const headings = speaking
    .filter(({ name }) => name === "h1")
    .map(headingText)
    .filter((heading) => heading !== "");
  const told = meta || written;
  // A heading that the title repeats is the title as the page shows it.
  const shown = headings.find((heading) => isPartOf(heading, written) || isPartOf(heading, meta));
  if (shown !== undefined) return shown;
  if (told === "") return headings.length === 1 ? (headings[0] ?? "") : "";
  return withoutSiteName(told, metaContent(metas, "og:site_name"));
}

/** Without the signs for links to the heading itself. */
function headingText(heading: HtmlElement): string {
  const text = lineText(heading, titleCharsMax);
  const links = findElements(heading, (element) => element.name === "a");
  const signs = links.filter((link) => isPermalink(link, true)).map((link) => lineText(link));
  const sign = signs.at(-1) ?? "";
  return sign !== "" && text.endsWith(sign) ? text.slice(0, -sign.length).trim() : text;
}

function metaContent(metas: readonly HtmlElement[], property: string): string {
  const meta = metas.find(
    ({ attribs }) => attribs["property"] === property || attribs["name"] === property,
  );
  return meta?.attribs["content"]?.replaceAll(/\s+/g, " ").trim().slice(0, titleCharsMax) ?? "";
}

function isPartOf(heading: string, title: string): boolean {
  return letters(heading) !== "" && letters(title).startsWith(letters(heading));
}

function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

function withoutSiteName(title: string, site: string): string {
  const parts = title.split(separator).filter((part) => part.trim() !== "");
  if (parts.length < 2) return title;
  const last = parts.at(-1) ?? "";
  if (letters(last) === letters(site))
    return title.slice(0, title.lastIndexOf(last)).replace(/[\s|\-–—·•»«/:\\]+$/, "");
  const first = parts[0] ?? "";
  // The name of a site is short, and comes last; a title of one word is not worth the loss.
  return first.split(" ").length >= 3 ? first : title;
}
