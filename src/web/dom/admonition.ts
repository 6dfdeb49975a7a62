import { type ChildNode, isTag, isText, Text } from "domhandler";

import { type HtmlElement, findElement } from "./parse-html.ts";
import { hasClass, shortText } from "./element.ts";

/** A box beside the text: a note, a warning, a tip. */
export interface Admonition {
  readonly title: readonly ChildNode[] | undefined;
  readonly content: readonly ChildNode[];
}

/** Boxes of Sphinx, MkDocs, Docusaurus, GitHub, VitePress, Asciidoctor, Starlight, MDN, Bootstrap, Nextra and their kin. */
const boxClass =
  /(?:^|\s)(?:admonition|admonitionblock|theme-admonition|markdown-alert|custom-block|notecard|callout|hint|starlight-aside|nextra-callout|alert|md-alert|message-box|callout-block|docs-alert|aside-note|infobox-note|tip-box|note-box)(?:\s|$)/;
/** Boxes whose class says what they are and no more: docutils, DocBook, Doxygen. */
const kindClass =
  /(?:^|\s)(?:note|warning|tip|important|caution|danger|attention|seealso|remark|NOTE|WARNING|TIP|IMPORTANT|CAUTION)(?:\s|$)/;
const boxElements = new Set(["div", "aside", "section", "blockquote", "details", "p"]);
const titleClass =
  /(?:^|[\s_-])(?:admonition-title|admonition-?heading\w*|markdown-alert-title|custom-block-title|starlight-aside__title|alert-title|alert-heading|callout-title|callout-heading|notecard-title|hint-title|box-title)(?:[\s_]|$)|admonitionHeading/i;
/** A title is one short line. */
const titleCharsMax = 150;

/** The parts of an admonition; undefined for another element. */
export function admonitionOf(element: HtmlElement): Admonition | undefined {
  if (!boxElements.has(element.name) || element.attribs["class"] === undefined) return undefined;
  const isBox = hasClass(element, boxClass);
  if (!isBox && !(hasClass(element, kindClass) && hasTitle(element))) return undefined;
  if (hasClass(element, /(?:^|\s)admonitionblock(?:\s|$)/)) return fromAsciidoc(element);
  const title = titleOf(element);
  if (title === undefined) return { title: undefined, content: element.children };
  return { title: title.children, content: element.children.filter((child) => child !== title) };
}

function titleOf(box: HtmlElement): HtmlElement | undefined {
  const [first] = box.children.filter(
    (child) => isTag(child) || (isText(child) && child.data.trim() !== ""),
  );
  if (first === undefined || !isTag(first) || shortText(first, titleCharsMax) === undefined)
    return undefined;
  const isTitle =
    hasClass(first, titleClass) ||
    first.name === "summary" ||
    /^h[1-6]$/.test(first.name) ||
    hasClass(first, /(?:^|\s)title(?:\s|$)/);
  return isTitle ? first : undefined;
}

function hasTitle(element: HtmlElement): boolean {
  const title = titleOf(element);
  return title !== undefined && !isSection(title);
}

/** A heading that can be linked to belongs to the page, whatever box it is in. */
function isSection(title: HtmlElement): boolean {
  return /^h[1-6]$/.test(title.name) && title.attribs["id"] !== undefined;
}

/** A table of one row: an icon with the kind, and the text. */
function fromAsciidoc(box: HtmlElement): Admonition {
  const icon = findElement(
    box,
    (inner) => inner.name === "td" && hasClass(inner, /(?:^|\s)icon(?:\s|$)/),
  );
  const content = findElement(
    box,
    (inner) => inner.name === "td" && hasClass(inner, /(?:^|\s)content(?:\s|$)/),
  );
  if (content === undefined) return { title: undefined, content: box.children };
  const named =
    icon === undefined
      ? undefined
      : findElement(icon, ({ attribs }) => attribs["title"] !== undefined);
  const title = named?.attribs["title"];
  const nodes = title === undefined ? icon?.children : [new Text(title)];
  return { title: nodes, content: content.children };
}
