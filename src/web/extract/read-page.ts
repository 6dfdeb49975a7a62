import { Element } from "domhandler";

import { parseHtml } from "../dom/parse-html.ts";
import type { HtmlDocument, HtmlElement } from "../dom/parse-html.ts";
import { findElement } from "../dom/walk.ts";
import type { PageFacts } from "./page-facts.ts";
import { readPageSigns } from "./page-signs.ts";
import { findPageTitle } from "./page-title.ts";
import { removeUnseen } from "./remove-unseen.ts";
import { readStructuredData } from "./structured-data.ts";
import { measureText, noText } from "./text-measure.ts";

/** Parses a page, removes hidden elements, and measures the rest. */
export function readPage(html: string, url: string): PageFacts {
  const document = parseHtml(html);
  const baseUrl = findBaseUrl(document, url);
  const title = findPageTitle(document);
  const structured = readStructuredData(document);
  const body = findBody(document);
  const signs = readPageSigns(document, body);
  removeUnseen(body);
  const measures = measureText(document);
  return {
    document,
    url,
    baseUrl,
    body,
    title,
    structured,
    signs,
    measure: (element) => measures.get(element) ?? noText,
  };
}

function findBody(document: HtmlDocument): HtmlElement {
  // A page of frames has no body.
  return (
    findElement(document, ({ name }) => name === "body") ??
    findElement(document, ({ name }) => name === "html") ??
    new Element("body", {})
  );
}

function findBaseUrl(document: HtmlDocument, url: string): string {
  const base = findElement(
    document,
    ({ name, attribs }) => name === "base" && attribs["href"] !== undefined,
  );
  const href = base?.attribs["href"] ?? "";
  return URL.parse(href, url)?.href ?? url;
}
