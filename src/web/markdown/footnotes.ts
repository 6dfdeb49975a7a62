import { isTag } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import { attribute, hasClass, parentOf, shortText } from "../dom/element.ts";

/** Notes of the page: from the signs in its text to the elements that say what they mean. */
export interface Footnotes {
  /** Link in the text → label. */
  readonly references: ReadonlyMap<HtmlElement, string>;
  /** Element of the note → label. */
  readonly notes: ReadonlyMap<HtmlElement, string>;
}

const referenceClass = /(?:^|\s)(?:footnote-?ref(?:erence)?|fn-?ref|noteref)(?:\s|$)/i;
const targetId = /^(?:fn|footnote|note|endnote|cite_note|user-content-fn|ftn|_ftn|id\d|bib)/i;
const noteElements = new Set(["li", "aside", "div", "p", "dd", "td", "tr", "dt", "section"]);
const backReference = /^(?:[\s↩↑^⤴⬆]|\ufe0e|\ufe0f)*$/u;
/** A longer label is not a note's mark but an ordinary link. */
const labelCharsMax = 12;
/** Steps up the tree from a link: a note is not nested deeply. */
const ancestorsMax = 64;

/** Pairs links like a small raised number with the element of the page that they lead to. */
export function findFootnotes(
  links: readonly HtmlElement[],
  byId: ReadonlyMap<string, HtmlElement>,
): Footnotes {
  const references = new Map<HtmlElement, string>();
  const notes = new Map<HtmlElement, string>();
  const taken = new Set<string>();
  for (const link of links) {
    if (!isReference(link)) continue;
    const target = byId.get(decodeFragment(attribute(link, "href").slice(1)));
    const note = target === undefined ? undefined : noteOf(target);
    if (note === undefined || isInside(link, note)) continue;
    const label = notes.get(note) ?? uniqueLabel(link, taken);
    if (label === undefined) continue;
    notes.set(note, label);
    references.set(link, label);
  }
  return { references, notes };
}

/** True for the arrow at the end of a note that leads back to the text. */
export function isBackReference(link: HtmlElement): boolean {
  if (!(link.attribs["href"] ?? "").includes("#")) return false;
  if (hasClass(link, /(?:footnote|fn|note)-?back-?(?:ref|link)|reversefootnote/i)) return true;
  const text = shortText(link, 8);
  return text !== undefined && text !== "" && backReference.test(text);
}

function isReference(link: HtmlElement): boolean {
  if (link.attribs["role"] === "doc-noteref" || hasClass(link, referenceClass)) return true;
  const isRaised =
    parentOf(link)?.name === "sup" ||
    link.children.some((child) => isTag(child) && child.name === "sup");
  return isRaised && targetId.test(link.attribs["href"]?.slice(1) ?? "");
}

function uniqueLabel(link: HtmlElement, taken: Set<string>): string | undefined {
  const text = shortText(link, 40)?.replace(/[\s[\]()^]/g, "");
  if (
    text === undefined ||
    text === "" ||
    text.length > labelCharsMax ||
    !/^[\p{L}\p{N}*†‡§.-]+$/u.test(text)
  )
    return undefined;
  let label = text;
  for (let count = 2; taken.has(label); count++) label = `${text}-${count}`;
  taken.add(label);
  return label;
}

/** The id may be on the note itself or on a small element at its start. */
function noteOf(target: HtmlElement): HtmlElement | undefined {
  if (noteElements.has(target.name)) return target.name === "dt" ? undefined : target;
  const parent = parentOf(target);
  return parent !== undefined && noteElements.has(parent.name) && parent.name !== "section"
    ? parent
    : undefined;
}

function isInside(element: HtmlElement, outer: HtmlElement): boolean {
  let inner: HtmlElement | undefined = element;
  for (let steps = 0; inner !== undefined && steps < ancestorsMax; steps++) {
    if (inner === outer) return true;
    inner = parentOf(inner);
  }
  return false;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
