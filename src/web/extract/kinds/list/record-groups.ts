import { type ChildNode, isTag, isText, type ParentNode } from "domhandler";

import { type HtmlElement, walkElements } from "../../../dom/parse-html.ts";
import type { PageFacts } from "../../page-facts.ts";
import { classTokens } from "../element-pattern.ts";
import { isFramed } from "../furniture.ts";

/** Parts of a page that have the same form and are siblings: cards, rows, entries. */
export interface RecordGroup {
  readonly records: readonly HtmlElement[];
  /** Characters of text in all of them. */
  readonly chars: number;
  /** Most of them show a price. */
  readonly isPriced: boolean;
  /** Most of them hold more than the few words of one link. */
  readonly isRich: boolean;
}

/** Fewer are a pair or a row of three promises, and no list. */
const recordsMin = 3;
/** In the mean; shorter ones are menus and pages of a pager. */
const recordCharsMin = 12;
/** In the mean; links with as much are titles, not the words of a menu. */
const titleCharsMin = 30;
/** Records that are looked into; the others of a group are like them. */
const samplesMax = 12;
/** Nodes that are looked at in a record: a record that is a whole page is not one. */
const recordNodesMax = 400;
const groupsMax = 400;
/** Steps up from a record in which another record of its group would hold it. */
const nestingMax = 30;

const price =
  /(?:[$€£¥₹₩₽]|\b(?:USD|EUR|GBP|CAD|AUD|CHF|SEK|NOK|DKK|PLN|kr|zł|руб)\b\.?)\s?\d|\d[\d.,]*\s?(?:[€£₹₽]|(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|kr|zł|руб)\b)/i;

/** The groups of records below `page.body`, the fullest first. */
export function findRecordGroups(page: PageFacts): RecordGroup[] {
  const groups = new Map<string, HtmlElement[]>();
  addSiblings(page.body, groups);
  walkElements(page.body, (element) => {
    if (isFramed(element)) return "past";
    addSiblings(element, groups);
    return "into";
  });
  return [...groups.values()]
    .map((records) => outermost(records.filter((record) => page.measure(record).chars > 0)))
    .filter((records) => records.length >= recordsMin)
    .map((records) => ({ records, chars: charsOf(records, page) }))
    .filter(({ records, chars }) => chars >= records.length * recordCharsMin)
    .toSorted((a, b) => b.chars - a.chars)
    .slice(0, groupsMax)
    .map(({ records, chars }) => ({ records, chars, ...lookInto(records, chars) }));
}

/** Puts the children of one form under the key that cards of the same form elsewhere have too. */
function addSiblings(parent: HtmlElement, groups: Map<string, HtmlElement[]>): void {
  const siblings = siblingsOf(parent);
  if (siblings.size === 0) return;
  const own = signatureOf(parent);
  for (const [signature, records] of siblings) {
    const key = `${own}>${signature}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, records);
    else for (const record of records) known.push(record);
  }
}

/** Elements without classes repeat at all depths; those inside another record are not records of their own. */
function outermost(records: readonly HtmlElement[]): HtmlElement[] {
  const known = new Set<ChildNode | ParentNode>(records);
  return records.filter((record) => {
    let parent = record.parent;
    for (let steps = 0; steps < nestingMax && parent !== null; steps++) {
      if (known.has(parent)) return false;
      parent = parent.parent;
    }
    return true;
  });
}

function siblingsOf(parent: HtmlElement): Map<string, HtmlElement[]> {
  const bySignature = new Map<string, HtmlElement[]>();
  for (const child of parent.children) {
    if (!isTag(child) || isNoRecord(child)) continue;
    const signature = signatureOf(child);
    const known = bySignature.get(signature);
    if (known === undefined) bySignature.set(signature, [child]);
    else known.push(child);
  }
  return bySignature;
}

const noRecords = new Set(
  "p br hr h1 h2 h3 h4 h5 h6 span b i em strong img option td th dt dd pre code script style meta link col blockquote".split(
    " ",
  ),
);

function isNoRecord({ name }: HtmlElement): boolean {
  return noRecords.has(name);
}

/** Classes of a signature. */
const signatureClassesMax = 2;
const ownOfRecord =
  /\d{2}|^(?:first|last|odd|even|active|selected|current|alt|sticky)$|^(?:category|tag|post|format|status|type|instock|outofstock|product)[-_]/;

/** Name and first classes, without the parts that differ between records: numbers, and marks of the first or chosen one. */
function signatureOf(element: HtmlElement): string {
  let signature = element.name;
  let count = 0;
  for (const token of classTokens(element)) {
    if (ownOfRecord.test(token)) continue;
    signature += `.${token}`;
    if (++count === signatureClassesMax) break;
  }
  return signature;
}

function charsOf(records: readonly HtmlElement[], page: PageFacts): number {
  return records.reduce((sum, record) => sum + page.measure(record).chars, 0);
}

function lookInto(
  records: readonly HtmlElement[],
  chars: number,
): Pick<RecordGroup, "isPriced" | "isRich"> {
  const step = Math.max(1, Math.floor(records.length / samplesMax));
  const samples = records.filter((_, index) => index % step === 0).slice(0, samplesMax);
  let priced = 0;
  let rich = 0;
  for (const sample of samples) {
    const { texts, hasPrice, hasImage } = contentOf(sample);
    if (hasPrice) priced++;
    if (texts >= 2 || hasImage) rich++;
  }
  return {
    isPriced: priced * 2 >= samples.length,
    isRich: rich * 2 >= samples.length || chars >= records.length * titleCharsMin,
  };
}

function contentOf(record: HtmlElement): { texts: number; hasPrice: boolean; hasImage: boolean } {
  let text = "";
  let texts = 0;
  let hasImage = false;
  let visits = 0;
  const waiting = [...record.children].slice(0, recordNodesMax).toReversed();
  for (
    let node = waiting.pop();
    node !== undefined && visits < recordNodesMax;
    node = waiting.pop()
  ) {
    visits++;
    if (isText(node) && node.data.trim() !== "") {
      texts++;
      text += node.data.slice(0, 200);
    } else if (isTag(node)) {
      if (node.name === "img" || node.name === "picture") hasImage = true;
      for (const child of node.children.slice(0, recordNodesMax).toReversed()) waiting.push(child);
    }
  }
  return { texts, hasPrice: price.test(text), hasImage };
}
