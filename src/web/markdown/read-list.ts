import { type ChildNode, isTag, isText } from "domhandler";

import { attribute, childrenNamed, hasClass, isHidden, textOf } from "../dom/element.ts";
import { findElement, type HtmlElement } from "../dom/parse-html.ts";
import { isUnreadName, nested, type Place, type Conversion, readLine } from "./conversion.ts";
import { inlineCode } from "./inline-text.ts";
import type { Block } from "./write-markdown.ts";

const listNames = new Set(["ul", "ol", "menu", "dir"]);

/** A list, or a single list item. Items that are footnotes are left out of it. */
export function readList(element: HtmlElement, place: Place, conversion: Conversion): Block[] {
  const inner = nested(place);
  const blocks: Block[] = [];
  let items: Block[][] = [];
  const start = element.name === "ol" ? startOf(element) : null;
  const flush = (): void => {
    if (start === null && items.every(isSection)) blocks.push(...items.flat());
    else if (items.length > 0) blocks.push({ kind: "list", list: { start, items } });
    items = [];
  };
  for (const child of element.name === "li" ? [element] : element.children) {
    const note = isTag(child) ? conversion.survey.footnotes.notes.get(child) : undefined;
    const found = readItem(child, inner, conversion);
    if (found.length === 0) continue;
    const last = items.at(-1);
    if (note !== undefined) {
      flush();
      blocks.push({ kind: "footnote", label: note, blocks: found });
    } else if (last !== undefined && isTag(child) && listNames.has(child.name)) last.push(...found);
    else items.push(found);
  }
  flush();
  return blocks;
}

/** An item that begins with a heading is a part of the page: javadoc makes lists of its sections. */
function isSection([first]: readonly Block[]): boolean {
  return first?.kind === "heading";
}

function readItem(child: ChildNode, place: Place, conversion: Conversion): Block[] {
  if (isText(child))
    return child.data.trim() === "" ? [] : conversion.readBlocks([child], place, conversion);
  if (!isTag(child) || isUnreadName(child.name) || isHidden(child)) return [];
  if (child.name !== "li") return conversion.readBlocks([child], place, conversion);
  const blocks = conversion.readBlocks(child.children, place, conversion);
  const box = checkboxOf(child);
  return box === undefined ? blocks : withCheckbox(blocks, box);
}

/** The first number: of the list, or of its first item. */
function startOf(list: HtmlElement): number {
  const first = list.children.find((child) => isTag(child) && child.name === "li");
  const value =
    attribute(list, "start") ||
    (first !== undefined && isTag(first) ? attribute(first, "value") : "");
  const number = Number.parseInt(value, 10);
  return Number.isSafeInteger(number) && number >= 0 && number <= 999_999_999 ? number : 1;
}

/** `[x] ` or `[ ] ` for an item of a task list. */
function checkboxOf(item: HtmlElement): string | undefined {
  let looks = 0;
  const box = findElement(item, (inner) => {
    looks++;
    return (
      looks <= 6 && inner.name === "input" && attribute(inner, "type").toLowerCase() === "checkbox"
    );
  });
  if (box === undefined) return undefined;
  return box.attribs["checked"] === undefined ? "[ ] " : "[x] ";
}

function withCheckbox(blocks: readonly Block[], box: string): Block[] {
  const [first, ...others] = blocks;
  if (first?.kind !== "paragraph") return [...blocks];
  return [{ ...first, text: `${box}${first.text}` }, ...others];
}

/** The class of terms that are declarations: Sphinx, and generators like it. */
const signatureClass = /(?:^|\s)(?:sig|sig-object|signature)(?:\s|$)/;

/** A definition list: an item for each term, with its definitions below. */
export function readDefinitions(list: HtmlElement, place: Place, conversion: Conversion): Block[] {
  const items: Block[][] = [];
  let current: Block[] | undefined;
  const footnotes: Block[] = [];
  for (const child of entriesOf(list)) {
    const note = conversion.survey.footnotes.notes.get(child);
    if (child.name === "dt") {
      const term = readTerm(child, place, conversion);
      if (term.length > 0) items.push(term);
      continue;
    }
    const blocks = conversion.readBlocks(
      child.name === "dd" ? child.children : [child],
      nested(place),
      conversion,
    );
    if (note !== undefined && blocks.length > 0)
      footnotes.push({ kind: "footnote", label: note, blocks });
    if (note !== undefined) continue;
    current = items.at(-1) ?? [];
    if (items.length === 0) items.push(current);
    current.push(...blocks);
  }
  const filled = items.filter((item) => item.length > 0).map((item) => compact(item, conversion));
  return [
    ...(filled.length === 0
      ? []
      : [{ kind: "list", list: { start: null, items: filled } } as const]),
    ...footnotes,
  ];
}

/** A term and one paragraph are two lines of one. */
function compact(item: Block[], { style }: Conversion): Block[] {
  const [term, definition] = item;
  if (item.length !== 2 || term?.kind !== "paragraph" || definition?.kind !== "paragraph")
    return item;
  return [
    { kind: "paragraph", text: `${term.text}${style === "text" ? "" : "  "}\n${definition.text}` },
  ];
}

/** Pairs may be grouped by `div`. */
function entriesOf(list: HtmlElement): HtmlElement[] {
  const isShown = (node: ChildNode): node is HtmlElement =>
    isTag(node) && !isUnreadName(node.name) && !isHidden(node);
  return list.children.filter(isShown).flatMap((child) => {
    const inner = child.name === "div" ? child.children.filter(isShown) : [];
    return inner.some(({ name }) => name === "dt" || name === "dd") ? inner : [child];
  });
}

function readTerm(term: HtmlElement, place: Place, conversion: Conversion): Block[] {
  const text = termText(term, place, conversion);
  // Declarations of several lines, as nimdoc writes them.
  if (text === undefined) return conversion.readBlocks(term.children, nested(place), conversion);
  return text === "" ? [] : [{ kind: "paragraph", text }];
}

/** A term on one line; undefined when it is a block of code. */
function termText(term: HtmlElement, place: Place, conversion: Conversion): string | undefined {
  if (hasClass(term, signatureClass)) return inlineCode(signature(term), conversion.style);
  if (childrenNamed(term, ["pre"]).length > 0) return undefined;
  const text = readLine(term.children, { ...place, isStrong: true }, conversion);
  return text === "" || conversion.style === "text" ? text : `**${text}**`;
}

/** Without the signs for links to itself and to its source. */
function signature(term: HtmlElement): string {
  return textOf(term).replace(/\s*(?:\[source\])?\s*[¶#]?\s*$/u, "");
}
