import { isTag, isText } from "domhandler";
import type { ParentNode } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { KindCandidate } from "../../kind-candidate.ts";
import type { PageFacts } from "../../page-facts.ts";
import type { TextMeasure } from "../../text-measure.ts";
import type { PageClaims } from "../page-claims.ts";
import { listEvidence } from "./list-certainty.ts";
import { copyContent } from "../copy-content.ts";
import { isForSmallScreens, isHiddenByClass } from "../is-furniture.ts";
import { isActionText } from "./action-text.ts";
import { listRoot } from "./list-root.ts";
import { isLinkMenu, isPageFurniture } from "./page-furniture.ts";
import { protectedParts } from "./protected-parts.ts";
import type { ProtectedParts } from "./protected-parts.ts";
import { findRecordGroups } from "./record-groups.ts";
import type { RecordGroup } from "./record-groups.ts";
import { RepeatedText } from "./repeated-text.ts";

/** Below it a page has lists, but is none. */
const certaintyMin = 0.3;
/** Of the fullest list: others of the page with as much belong to it too. */
const besidePartMin = 0.25;
/** A part of a page with more of its text is not what frames it. */
const framePartMax = 0.4;
/** From a list up to the page's frame there are fewer. */
const ancestorsMax = 60;
/** A page whose subject are the things that it lists. */
export function findList(page: PageFacts, claims: PageClaims): KindCandidate | undefined {
  const groups = findRecordGroups(page).filter(({ isRich }) => isRich);
  const first = fullestList(groups, page);
  if (first === undefined) return undefined;
  const { certainty, isPriced } = listEvidence(groups, claims, page);
  if (certainty < certaintyMin) return undefined;
  const parts = protectedParts(listsBeside(first, groups, page));
  const root = copyList(listRoot(page, parts), page, parts);
  return { kind: isPriced ? "collection" : "listing", root, confidence: certainty };
}

/** A list in what frames a page is the page's own only if nothing else is. */
const framedWeight = 0.2;

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

function copyList(main: HtmlElement, page: PageFacts, parts: ProtectedParts): HtmlElement {
  const frameCharsMax = page.measure(main).chars * framePartMax;
  const repeats = new RepeatedText(page);
  const recordOf = new Map<HtmlElement, HtmlElement>();
  const isUnseen = (element: HtmlElement, measure: TextMeasure): boolean =>
    isHiddenByClass(element) ||
    (isForSmallScreens(element) && repeats.isElsewhere(element)) ||
    isActionText(element, measure);
  const isFrame = (element: HtmlElement, measure: TextMeasure): boolean => {
    if (measure.chars > frameCharsMax) return false;
    if (element.name === "form" || element.name === "header")
      return measure.linkChars > measure.chars / 2;
    return isPageFurniture(element, measure) || isLinkMenu(measure);
  };
  /** A heading of what is left out. */
  const isLonelyHeading = (element: HtmlElement): boolean => {
    if (!/^h[2-6]$/.test(element.name)) return false;
    let isLonely = false;
    for (let next = element.next; next !== null; next = next.next) {
      if (isText(next) && next.data.trim() !== "") return false;
      if (!isTag(next)) continue;
      const measure = page.measure(next);
      if (measure.chars === 0) continue;
      if (/^h[1-6]$/.test(next.name)) break;
      if (
        parts.holders.has(next) ||
        parts.records.has(next) ||
        !(isUnseen(next, measure) || isFrame(next, measure))
      )
        return false;
      isLonely = true;
    }
    return isLonely;
  };
  return copyContent(main, (element) => {
    const parent = element.parent as HtmlElement;
    const record = recordOf.get(parent) ?? (parts.records.has(element) ? element : undefined);
    if (record !== undefined) recordOf.set(element, record);
    if (record === element) return repeats.isSecond(element);
    if (parts.holders.has(element)) return false;
    const measure = page.measure(element);
    if (isUnseen(element, measure)) return true;
    if (record !== undefined) {
      return measure.chars < page.measure(record).chars * 0.6 && isPageFurniture(element, measure);
    }
    return isFrame(element, measure) || isLonelyHeading(element);
  });
}
