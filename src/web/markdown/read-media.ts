import { attribute, findElement, hasClass } from "../dom/element.ts";
import type { HtmlElement } from "../dom/parse-html.ts";
import { escapeBrackets, escapeText } from "./escape-text.ts";
import { imageSource, mediaTarget } from "./link-target.ts";
import { texFrom } from "./math.ts";
import type { Place, Reading } from "./reading.ts";

/** Pictures may be described at length, but not here. */
const altCharsMax = 300;
const names: Readonly<Record<string, string>> = {
  iframe: "Embedded page",
  video: "Video",
  audio: "Audio",
};
const formulaClass = /(?:^|\s)(?:mwe-math-fallback-image\S*|tex|latex|math)(?:\s|$)/i;

/** A picture with its description, or only that where there is no room for pictures. A picture of a formula is its source. */
export function readImage(image: HtmlElement, place: Place, reading: Reading): string {
  const alt = oneLineOf(image, "alt").slice(0, altCharsMax).toWellFormed();
  if (reading.style === "text") return alt;
  if (alt !== "" && hasClass(image, formulaClass)) return `$${texFrom(alt)}$`;
  const source = imageSource(image, reading.baseUrl);
  if (source === undefined || (place.isLine && alt === "")) return "";
  return reading.budget.take(source.length)
    ? `![${escapeBrackets(escapeText(alt))}](${source})`
    : "";
}

/** Frames and films become links to what they show. */
export function readMedia(element: HtmlElement, place: Place, reading: Reading): string {
  if (reading.style === "text" || place.isLink || isTiny(element)) return "";
  const source = mediaTarget(mediaSource(element), reading.baseUrl);
  if (source === undefined || !reading.budget.take(source.length)) return "";
  const title = oneLineOf(element, "title");
  const name = title === "" ? (names[element.name] ?? "Embedded content") : title;
  return `[${escapeBrackets(escapeText(name))}](${source})`;
}

function mediaSource(element: HtmlElement): string {
  const own = ["src", "data-src", "data-lazy-src", "data"].map((name) => attribute(element, name));
  const inner = findElement(element, ({ name }) => name === "source");
  return (
    [...own, inner === undefined ? "" : attribute(inner, "src")].find((value) => value !== "") ?? ""
  );
}

function oneLineOf(element: HtmlElement, name: string): string {
  return attribute(element, name).replace(/\s+/g, " ").trim();
}

/** Frames of one pixel count visitors. */
function isTiny(element: HtmlElement): boolean {
  return ["width", "height"].some((name) => /^[01](?:px)?$/.test(attribute(element, name)));
}
