import { isTag } from "domhandler";
import type { ParentNode } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { PageFacts } from "../../page-facts.ts";
import { holdersOf } from "../holders-of.ts";
import { isPageFurniture } from "./page-furniture.ts";
import type { RecordGroup } from "./record-groups.ts";

/** Of the fullest list: others of the page with as much belong to it too. */
const besidePartMin = 0.25;
/** A list in what frames a page is the page's own only if nothing else is. */
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
