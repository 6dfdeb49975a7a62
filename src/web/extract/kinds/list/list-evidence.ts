import { isTag, type ParentNode } from "domhandler";

import { parentOf } from "../../../dom/element.ts";
import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { PageFacts } from "../../page-facts.ts";
import { holdersOf, isPageFurniture } from "../furniture.ts";
import { findNear } from "../short-text.ts";
import type { RecordGroup } from "./record-groups.ts";

/** Of the fullest list: others of the page with as much belong to it too. */
const besidePartMin = 0.25;
/** A list in the frame of a page is the page's own only if there is no other. */
const framedWeight = 0.2;
/** From a list up to the page's frame there are fewer. */
const ancestorsMax = 60;

/** Of the lists in a page those that it is about, the fullest first. */
export function ownLists(lists: readonly RecordGroup[], page: PageFacts): RecordGroup[] {
  const first = fullest(lists, page);
  if (first === undefined) return [];
  const holders = holdersOf(first.records);
  const beside = lists.filter(
    (list) =>
      list !== first &&
      list.chars >= first.chars * besidePartMin &&
      !isInFurniture(list, holders, page),
  );
  return [first, ...beside];
}

function fullest(lists: readonly RecordGroup[], page: PageFacts): RecordGroup | undefined {
  const none: ReadonlySet<HtmlElement> = new Set();
  return lists
    .map((list) => ({
      list,
      weight: list.chars * (isInFurniture(list, none, page) ? framedWeight : 1),
    }))
    .toSorted((a, b) => b.weight - a.weight)[0]?.list;
}

/** Looks up from the first record to the page's frame, but not at `holders`. */
function isInFurniture(
  { records }: RecordGroup,
  holders: ReadonlySet<HtmlElement>,
  page: PageFacts,
): boolean {
  let element: ParentNode | null = records[0] ?? null;
  for (let steps = 0; steps < ancestorsMax && element !== null && isTag(element); steps++) {
    if (!holders.has(element) && isPageFurniture(element, page.measure(element))) return true;
    element = element.parent;
  }
  return false;
}

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
  return findNear(heading, isPageLink) !== undefined || parentOf(heading)?.name === "a";
}
