import { isTag } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { PageFacts } from "../../page-facts.ts";
import { findNear } from "../short-text.ts";
import type { RecordGroup } from "./record-groups.ts";

/** Records that are looked into; the others of a group are like them. */
const samplesMax = 12;

/** True when the records of a group are cards: each leads to a page of its own, under a title or a picture. */
export function areCards({ records }: RecordGroup, page: PageFacts): boolean {
  const step = Math.max(1, Math.floor(records.length / samplesMax));
  const samples = records.filter((_, index) => index % step === 0).slice(0, samplesMax);
  const hrefs = new Set<string>();
  let linked = 0;
  let titled = 0;
  for (const sample of samples) {
    const link = findNear(sample, isPageLink);
    // Code occurs in chapters.
    if (link === undefined || findNear(sample, ({ name }) => name === "pre") !== undefined)
      continue;
    linked++;
    hrefs.add(link.attribs["href"] ?? "");
    if (isTitled(sample, page)) titled++;
  }
  return (
    linked >= samples.length * 0.8 && hrefs.size >= linked * 0.7 && titled >= samples.length * 0.6
  );
}

function isPageLink({ name, attribs }: HtmlElement): boolean {
  const href = attribs["href"];
  if (name !== "a" || href === undefined) return false;
  // A link to a picture opens a gallery.
  return !/^(?:#|javascript:|mailto:|tel:|$)|\.(?:jpe?g|png|gif|webp|avif)(?:$|\?)/i.test(href);
}

function isTitled(record: HtmlElement, page: PageFacts): boolean {
  const { chars, linkChars } = page.measure(record);
  if (linkChars >= chars * 0.4) return true;
  const image = findNear(record, ({ name }) => name === "img" || name === "picture");
  if (image !== undefined) return true;
  const heading = findNear(record, ({ name }) => /^h[1-6]$/.test(name));
  if (heading === undefined) return false;
  return (
    findNear(heading, isPageLink) !== undefined ||
    (heading.parent !== null && isTag(heading.parent) && heading.parent.name === "a")
  );
}
