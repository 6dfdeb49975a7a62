import { type ChildNode, isTag, isText } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";
import type { Block } from "./block.ts";
import { attribute, findElement } from "../dom/element.ts";
import { isUnreadName } from "./element-kinds.ts";
import { isHidden } from "../dom/hidden.ts";
import { nested, type Place, type Reading } from "./reading.ts";

const listNames = new Set(["ul", "ol", "menu", "dir"]);

/** A list, or a single list item. Items that are footnotes are left out of it. */
export function readList(element: HtmlElement, place: Place, reading: Reading): Block[] {
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
    const note = isTag(child) ? reading.survey.footnotes.notes.get(child) : undefined;
    const found = readItem(child, inner, reading);
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

function readItem(child: ChildNode, place: Place, reading: Reading): Block[] {
  if (isText(child))
    return child.data.trim() === "" ? [] : reading.readBlocks([child], place, reading);
  if (!isTag(child) || isUnreadName(child.name) || isHidden(child)) return [];
  if (child.name !== "li") return reading.readBlocks([child], place, reading);
  const blocks = reading.readBlocks(child.children, place, reading);
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
