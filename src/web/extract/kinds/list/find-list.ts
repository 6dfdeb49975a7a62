import { isTag } from "domhandler";
import type { ParentNode } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { KindCandidate } from "../../kind-candidate.ts";
import type { PageFacts } from "../../page-facts.ts";
import type { PageClaims } from "../page-claims.ts";
import { copyList } from "./copy-list.ts";
import { listEvidence } from "./list-certainty.ts";
import { listRoot } from "./list-root.ts";
import { isPageFurniture } from "./page-furniture.ts";
import { protectedParts } from "./protected-parts.ts";
import { findRecordGroups } from "./record-groups.ts";
import type { RecordGroup } from "./record-groups.ts";

/** Below it a page has lists, but is none. */
const certaintyMin = 0.3;
/** Of the fullest list: others of the page with as much belong to it too. */
const besidePartMin = 0.25;
/** A list in what frames a page is the page's own only if nothing else is. */
const framedWeight = 0.2;
/** From a list up to the page's frame there are fewer. */
const ancestorsMax = 60;

/** A page whose subject are the things that it lists. */
export function findList(page: PageFacts, claims: PageClaims): KindCandidate | undefined {
  const groups = findRecordGroups(page).filter(({ isRich }) => isRich);
  const { certainty, isPriced } = listEvidence(groups, claims, page);
  const first = fullestList(groups, page);
  if (first === undefined || certainty < certaintyMin) return undefined;
  const parts = protectedParts(listsBeside(first, groups, page));
  const root = copyList(listRoot(page, parts), page, parts);
  return { kind: isPriced ? "collection" : "listing", root, confidence: certainty };
}

function fullestList(groups: readonly RecordGroup[], page: PageFacts): RecordGroup | undefined {
  const none: ReadonlySet<HtmlElement> = new Set();
  return groups
    .map((group) => ({
      group,
      weight: group.chars * (isInFurniture(group, none, page) ? framedWeight : 1),
    }))
    .toSorted((a, b) => b.weight - a.weight)[0]?.group;
}

function listsBeside(
  first: RecordGroup,
  groups: readonly RecordGroup[],
  page: PageFacts,
): RecordGroup[] {
  const { holders } = protectedParts([first]);
  const beside = groups.filter(
    (group) =>
      group !== first &&
      group.chars >= first.chars * besidePartMin &&
      !isInFurniture(group, holders, page),
  );
  return [first, ...beside];
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
