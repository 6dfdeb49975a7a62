import { type ChildNode, isTag } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import type { Block } from "./block.ts";
import { childrenNamed, hasClass, textOf } from "../dom/element.ts";
import { isUnreadName } from "./element-kinds.ts";
import { isHidden } from "../dom/hidden.ts";
import { inlineCode } from "./inline-code.ts";
import { nested, type Place, readLine, type Reading } from "./reading.ts";

/** The class of terms that are declarations: Sphinx, and what looks like it. */
const signatureClass = /(?:^|\s)(?:sig|sig-object|signature)(?:\s|$)/;

/** A definition list: an item for each term, with its definitions below. */
export function readDefinitions(list: HtmlElement, place: Place, reading: Reading): Block[] {
  const items: Block[][] = [];
  let current: Block[] | undefined;
  const footnotes: Block[] = [];
  for (const child of entriesOf(list)) {
    const note = reading.survey.footnotes.notes.get(child);
    if (child.name === "dt") {
      const term = readTerm(child, place, reading);
      if (term.length > 0) items.push(term);
      continue;
    }
    const blocks = reading.readBlocks(
      child.name === "dd" ? child.children : [child],
      nested(place),
      reading,
    );
    if (note !== undefined && blocks.length > 0)
      footnotes.push({ kind: "footnote", label: note, blocks });
    if (note !== undefined) continue;
    current = items.at(-1) ?? [];
    if (items.length === 0) items.push(current);
    current.push(...blocks);
  }
  const filled = items.filter((item) => item.length > 0).map((item) => compact(item, reading));
  return [
    ...(filled.length === 0
      ? []
      : [{ kind: "list", list: { start: null, items: filled } } as const]),
    ...footnotes,
  ];
}

/** A term and one paragraph are two lines of one. */
function compact(item: Block[], { style }: Reading): Block[] {
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

function readTerm(term: HtmlElement, place: Place, reading: Reading): Block[] {
  const text = termText(term, place, reading);
  // Declarations of several lines, as nimdoc writes them.
  if (text === undefined) return reading.readBlocks(term.children, nested(place), reading);
  return text === "" ? [] : [{ kind: "paragraph", text }];
}

/** A term on one line; undefined when it is a block of code. */
function termText(term: HtmlElement, place: Place, reading: Reading): string | undefined {
  if (hasClass(term, signatureClass)) return inlineCode(signature(term), reading.style);
  if (childrenNamed(term, ["pre"]).length > 0) return undefined;
  const text = readLine(term.children, { ...place, isStrong: true }, reading);
  return text === "" || reading.style === "text" ? text : `**${text}**`;
}

/** Without the signs for links to itself and to its source. */
function signature(term: HtmlElement): string {
  return textOf(term).replace(/\s*(?:\[source\])?\s*[¶#]?\s*$/u, "");
}
