import { type ChildNode, isTag } from "domhandler";
import { attribute, hasClass, isWithin, parentOf, shortText } from "../dom/element.ts";
import type { HtmlElement } from "../dom/parse-html.ts";
import type { Block } from "./write-markdown.ts";

/** Notes of the page: from the signs in its text to the elements that say what they mean. */
interface Footnotes {
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
const ancestorsMax = 63;

/** Pairs links like a small raised number with the element of the page that they lead to. */
function findFootnotes(
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
    if (note === undefined || isWithin(link, note, ancestorsMax)) continue;
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

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Facts about elements that are needed again and again, found in one pass over the tree. */
interface Survey {
  /** Elements of the running text that have blocks somewhere inside. */
  readonly hasBlocks: ReadonlySet<HtmlElement>;
  readonly footnotes: Footnotes;
}

export function surveyTree(root: HtmlElement): Survey {
  const hasBlocks = new Set<HtmlElement>();
  const references: HtmlElement[] = [];
  const byId = new Map<string, HtmlElement>();
  const stack: ChildNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isTag(node)) continue;
    if (node !== root && isBlockName(node.name)) markAncestors(node, root, hasBlocks);
    const { id, href } = node.attribs;
    if (id !== undefined && !byId.has(id)) byId.set(id, node);
    if (node.name === "a" && href?.startsWith("#") === true) references.push(node);
    for (const child of node.children) stack.push(child);
  }
  return { hasBlocks, footnotes: findFootnotes(references, byId) };
}

/** Up to the first one that is known: each element is marked once. */
function markAncestors(element: HtmlElement, root: HtmlElement, marked: Set<HtmlElement>): void {
  for (let { parent } = element; parent !== null && isTag(parent); { parent } = parent) {
    if (marked.has(parent)) return;
    marked.add(parent);
    if (parent === root) return;
  }
}

/** One conversion: its facts about the page, and its remaining budget. */
export interface Conversion {
  readonly baseUrl: string;
  readonly style: "markdown" | "text";
  readonly survey: Survey;
  readonly budget: Budget;
  /** Both are given here so that the parts that call each other need not import each other. */
  readonly readBlocks: (
    nodes: readonly ChildNode[],
    place: Place,
    conversion: Conversion,
  ) => Block[];
  readonly readInline: (
    nodes: readonly ChildNode[],
    place: Place,
    conversion: Conversion,
  ) => string;
}

/** The place in the page: the form of an element depends on its ancestors. */
export interface Place {
  /** The ancestors that make a difference. */
  readonly depth: number;
  /** Lists, quotes and table cells around it. */
  readonly nesting: number;
  readonly isCell: boolean;
  /** On one line: headings, terms, summaries. */
  readonly isLine: boolean;
  readonly isStrong: boolean;
  readonly isEmphasis: boolean;
  readonly isStruck: boolean;
  /** Inside a link, or around one: its text has no links of its own. */
  readonly isLink: boolean;
}

export const outermostPlace: Place = {
  depth: 0,
  nesting: 0,
  isCell: false,
  isLine: false,
  isStrong: false,
  isEmphasis: false,
  isStruck: false,
  isLink: false,
};

/** Deeper elements are read as text alone: browsers stop nesting at the same depth. */
export const elementDepthMax = 512;
/** Lists, quotes and cells in each other; deeper ones are put at this level. Prefixes of lines stay short. */
export const nestingMax = 12;
/** Characters written at most: short links can grow by the length of the page's address, each. */
const outputCharsMax = 16 * 1024 * 1024;

/** Characters that may still be written. Text over the budget is left out. */
export class Budget {
  #left = outputCharsMax;

  /** True when `chars` more fit. */
  take(chars: number): boolean {
    this.#left -= chars;
    return this.#left >= 0;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}

/** Everything in `nodes` as one line. */
export function readLine(
  nodes: readonly ChildNode[],
  place: Place,
  conversion: Conversion,
): string {
  return conversion.readInline(nodes, { ...place, isLine: true }, conversion).trim();
}

/** The element's own nesting of lists, quotes and cells, one deeper. */
export function nested(place: Place): Place {
  return { ...place, nesting: place.nesting + 1 };
}

/** Block elements: they have lines of their own. */
const blocks = new Set(
  (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure " +
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext " +
    "pre search section summary table tbody td tfoot th thead tr ul xmp"
  ).split(" "),
);

/** Elements whose content is not for readers, or cannot be shown as text. */
const unread = new Set(
  (
    "applet area base basefont canvas col colgroup datalist dialog frame frameset head keygen link map meta meter " +
    "noembed noframes optgroup option param portal progress rp script select slot source style svg template textarea " +
    "title track"
  ).split(" "),
);

export function isBlockName(name: string): boolean {
  return blocks.has(name);
}

export function isUnreadName(name: string): boolean {
  return unread.has(name);
}

/** A table by the names of elements; a row has one or more of them, with spaces between. */
export function byName<Value>(
  rows: readonly (readonly [names: string, value: Value])[],
): ReadonlyMap<string, Value> {
  return new Map(
    rows.flatMap(([names, value]) => names.split(" ").map((name) => [name, value] as const)),
  );
}
