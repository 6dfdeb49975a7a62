import { isTag } from "domhandler";

import { attribute, hasClass, parentOf } from "../dom/element.ts";
import { findElement, type HtmlElement } from "../dom/parse-html.ts";
import { escapeBrackets, escapeText } from "./inline-text.ts";
import { texFrom } from "./math.ts";
import type { Place, Conversion } from "./conversion.ts";

const linkSchemes = new Set(["http:", "https:", "mailto:", "tel:", "ftp:"]);
const imageSchemes = new Set(["http:", "https:"]);
/** Longer addresses are useless to a reader. */
const hrefCharsMax = 2_000;

/** The absolute address of a link, fit for Markdown; undefined for scripts, data and invalid addresses. */
export function linkTarget(href: string, baseUrl: string): string | undefined {
  return target(href, baseUrl, linkSchemes);
}

/** The absolute address of an image, frame or film. */
export function mediaTarget(source: string, baseUrl: string): string | undefined {
  return target(source, baseUrl, imageSchemes);
}

function target(text: string, baseUrl: string, schemes: ReadonlySet<string>): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > hrefCharsMax) return undefined;
  if (!URL.canParse(trimmed, baseUrl)) return undefined;
  const url = new URL(trimmed, baseUrl);
  if (!schemes.has(url.protocol) || url.href.length > hrefCharsMax) return undefined;
  return forMarkdown(url.href);
}

/** Parentheses may stay when they come in simple pairs; other signs that Markdown knows are written as codes. */
function forMarkdown(href: string): string {
  const safe = href.replace(
    /[\s<>|`\\*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
  if (!/[()]/.test(safe) || /^(?:[^()]|\([^()]*\))*$/.test(safe)) return safe;
  return safe.replaceAll("(", "%28").replaceAll(")", "%29");
}

/** Attributes in which pages keep the address of an image until it scrolls into view. */
const lazyAttributes = [
  "data-src",
  "data-lazy-src",
  "data-original",
  "data-lazy",
  "data-actualsrc",
  "data-hi-res-src",
  "data-url",
];
const lazySets = ["data-srcset", "data-lazy-srcset", "srcset"];
const placeholder =
  /(?:^|[/_.-])(?:placeholder|blank|spacer|transparent|pixel|1x1|loading|lazy)[^/]*\.(?:gif|png|svg|jpe?g|webp)(?:[?#]|$)/i;
/** Sets of candidates are written by machines and short. */
const setCharsMax = 20_000;

/** The absolute address of the picture that an `img` shows in the end; undefined when it has none worth a line. */
export function imageSource(image: HtmlElement, baseUrl: string): string | undefined {
  if (isTracker(image)) return undefined;
  const own = attribute(image, "src");
  const isStandIn = own === "" || /^data:/i.test(own.trim()) || placeholder.test(own);
  const candidates = [
    ...(isStandIn ? [] : [own]),
    ...lazyAttributes.map((name) => attribute(image, name)),
    ...lazySets.map((name) => largestOf(attribute(image, name))),
    ...pictureSources(image),
    own,
  ];
  for (const candidate of candidates) {
    const target = mediaTarget(candidate, baseUrl);
    if (target !== undefined) return target;
  }
  return undefined;
}

function pictureSources(image: HtmlElement): string[] {
  const picture = parentOf(image);
  if (picture?.name !== "picture") return [];
  return picture.children
    .filter(isTag)
    .filter(({ name }) => name === "source")
    .map((source) => largestOf(attribute(source, "srcset") || attribute(source, "data-srcset")));
}

/** One pixel, there to be counted. */
function isTracker(image: HtmlElement): boolean {
  return [image.attribs["width"], image.attribs["height"]].some((size) =>
    /^[01](?:px)?$/.test(size ?? ""),
  );
}

/** The address with the largest width or density in a `srcset`. */
function largestOf(set: string): string {
  let best = { size: -1, address: "" };
  for (const part of set.slice(0, setCharsMax).split(/,\s+|,(?=https?:|\/)/)) {
    const [address = "", size = "1x"] = part.trim().split(/\s+/);
    const value = Number.parseFloat(size) || 0;
    if (address !== "" && value > best.size) best = { size: value, address };
  }
  return best.address;
}

/** Pictures may be described at length, but not here. */
const altCharsMax = 300;
const names: Readonly<Record<string, string>> = {
  iframe: "Embedded page",
  video: "Video",
  audio: "Audio",
};
const formulaClass = /(?:^|\s)(?:mwe-math-fallback-image\S*|tex|latex|math)(?:\s|$)/i;

/** A picture with its description, or only that where there is no room for pictures. A picture of a formula is its source. */
export function readImage(image: HtmlElement, place: Place, conversion: Conversion): string {
  const alt = oneLineOf(image, "alt").slice(0, altCharsMax).toWellFormed();
  if (conversion.style === "text") return alt;
  if (alt !== "" && hasClass(image, formulaClass)) return `$${texFrom(alt)}$`;
  const source = imageSource(image, conversion.baseUrl);
  if (source === undefined || (place.isLine && alt === "")) return "";
  return conversion.budget.take(source.length)
    ? `![${escapeBrackets(escapeText(alt))}](${source})`
    : "";
}

/** Frames and films become links to their sources. */
export function readMedia(element: HtmlElement, place: Place, conversion: Conversion): string {
  if (conversion.style === "text" || place.isLink || isTiny(element)) return "";
  const source = mediaTarget(mediaSource(element), conversion.baseUrl);
  if (source === undefined || !conversion.budget.take(source.length)) return "";
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
