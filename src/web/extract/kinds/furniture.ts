import { type ChildNode, Element, isTag, isText, Text } from "domhandler";
import { addWithAncestors, parentOf } from "../../dom/element.ts";
import type { HtmlElement } from "../../dom/parse-html.ts";
import type { TextMeasure } from "../text-measure.ts";
import { classTokens } from "./element-pattern.ts";
import { saysWord, wordPattern } from "./short-text.ts";

const furnitureNames = new Set([
  "button",
  "nav",
  "script",
  "style",
  "svg",
  "select",
  "input",
  "textarea",
  "iframe",
  "noscript",
  "template",
  "dialog",
]);

/** Classes of elements beside the content of a post or a card: actions and likes. */
const furnitureClass =
  /^(?:.*[-_])?(?:signature|share|sharing|social|social-?links|reactions?|reactions?-?bar|likes?|votes?|vote-?box|vote-?cell|actions?|action-?bar|toolbar|buttons?|btn-?group|avatar|report|quick-?reply|reply-?form|dropdown-menu|tooltip|popover|modal)$/i;

/** Frameworks hide elements for screen readers, for other widths, or not yet shown, by class. */
const hiddenClass =
  /^(?:hidden|d-none|hide|is-hidden|u-hidden|sr-only|sr_only|visually-hidden|visuallyhidden|screen-reader-text|screen-reader-only|invisible|v-visible-sr|ipsinvisible|ipshide|a-offscreen|offscreen|display-none)$/i;
const shownSomewhere =
  /^(?:[a-z0-9]+:|d-(?:sm|md|lg|xl|xxl)-)(?:block|flex|grid|inline|inline-block|inline-flex|table|contents|visible|not-sr-only)/;

/** Elements inside content that do not belong to it. */
function isFurniture(element: HtmlElement): boolean {
  if (furnitureNames.has(element.name)) return true;
  return (
    isHiddenByClass(element) || classTokens(element).some((token) => furnitureClass.test(token))
  );
}

/** Elements that only small screens show: on others the same is somewhere else. */
const smallScreenClass =
  /^(?:(?:md|lg|xl|2xl):hidden|d-(?:md|lg|xl)-none|visible-xs(?:-block)?|mobile-only|only-mobile|show-for-small(?:-only)?|hide-for-(?:medium|large)(?:-up)?|hide-desktop|hidden-(?:md|lg|desktop)(?:-up)?|show-mobile)$/i;

export function isForSmallScreens(element: HtmlElement): boolean {
  return classTokens(element).some((token) => smallScreenClass.test(token));
}

export function isHiddenByClass(element: HtmlElement): boolean {
  const tokens = classTokens(element);
  if (tokens.length === 0) return false;
  return (
    tokens.some((token) => hiddenClass.test(token)) &&
    !tokens.some((token) => shownSomewhere.test(token))
  );
}

const names = new Set(
  "nav footer select input textarea iframe noscript dialog menu template svg label".split(" "),
);
const roles = new Set(
  "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar tablist alert status tooltip".split(
    " ",
  ),
);

/** Words of ids and classes that frame a page whatever they contain. */
const framingWords =
  "breadcrumb|breadcrumbs|crumbs|pagination|pager|paging|paginator|page-numbers|filter|filters|filtering|facet|facets|refine|refinement|refinements|sort|sorting|sorter|sortby|sidenav|menu|submenu|navbar|newsletter|subscribe|signup|sign-up|cookie|cookies|consent|gdpr|onetrust|modal|popup|popover|overlay|drawer|offcanvas|off-canvas|flyout|dropdown|minicart|mini-cart|cart|basket|wishlist|wish-list|compare|share|sharing|skip-link|skip-links|skiplink|skip-nav|advert|adverts|advertisement|ads|ad-container|search|searchbox|searchbar|search-form|footer|prefooter|site-header|masthead|topbar|top-bar|copyright|comment-form|respond|swatch|swatches|quick-view|quickview|quick-shop|quickshop|load-more|loadmore|back-to-top|tooltip|toast|snackbar|chat|feedback|survey|language-switcher|lang-switcher|country-selector|region-selector|loader|loading|spinner|skeleton|btn|button|buttons|sr-only";
/** Words of the frame of a page, unless it is prose. */
const asideWords =
  "sidebar|side-bar|nav|navigation|subscription|social|related|recommended|recommendation|recommendations|recommender|upsell|upsells|crosssell|cross-sell|cross-sells|recently-viewed|similar|sponsored|sponsor|login|signin|account|comments|widget-area|announcement|announcement-bar|placeholder|actions|store-locator|cta|avatar";
const framing = wordPattern(framingWords);
const aside = wordPattern(asideWords);

/** From here on a part with few links is prose, and a word in its class does not make it furniture. */
const proseCharsMin = 300;
const proseLinkPartMax = 0.3;
const framedProseCharsMin = 1_200;

/** A button with more text is a card or a paragraph that opens. */
const buttonTextCharsMax = 100;

/** Elements that frame a page and say nothing about its subject, recognised by name, role or class. */
export function isPageFurniture(element: HtmlElement, measure: TextMeasure): boolean {
  const { role } = element.attribs;
  if (element.name === "button" || role === "button") return measure.chars < buttonTextCharsMax;
  if (names.has(element.name) || (role !== undefined && roles.has(role))) return true;
  const isProse = measure.linkChars < measure.chars * proseLinkPartMax;
  if (isProse && measure.chars >= framedProseCharsMin) return false;
  if (saysWord(element, framing)) return true;
  return (!isProse || measure.chars < proseCharsMin) && saysWord(element, aside);
}

/** Elements that certainly frame the page: the list that a reader came for is not in them. */
export function isFramed({ name, attribs }: HtmlElement): boolean {
  if (name === "nav" || name === "footer" || name === "dialog") return true;
  return /^(?:navigation|contentinfo|banner|dialog|menu|menubar)$/.test(attribs["role"] ?? "");
}

/** Fewer links are not a menu. */
const menuLinksMin = 3;
const menuLinkPartMin = 0.85;
/** Characters in the mean: titles of things are longer than the words of menus. */
const menuLinkCharsMax = 34;
/** The part of links in a menu on one line, with signs between the links. */
const lineLinkPartMin = 0.6;
const lineLinkCharsMax = 12;

/** Many short links and hardly anything else. */
export function isLinkMenu({ chars, linkChars, links }: TextMeasure): boolean {
  if (links < menuLinksMin) return false;
  if (linkChars >= chars * menuLinkPartMin) return linkChars <= links * menuLinkCharsMax;
  return linkChars >= chars * lineLinkPartMin && linkChars <= links * lineLinkCharsMax;
}

/**
 * A deep copy of `element`, without the buttons, forms and other furniture of every record, and without elements that
 * `isDropped`. Attributes are shared with the original. No recursion.
 */
export function copyContent(
  element: HtmlElement,
  isDropped: (element: HtmlElement) => boolean = () => false,
): HtmlElement {
  const root = copyOf(element);
  const waiting: { from: HtmlElement; to: HtmlElement }[] = [{ from: element, to: root }];
  for (let top = waiting.pop(); top !== undefined; top = waiting.pop()) {
    for (const child of top.from.children) {
      const copy = copyNode(child, isDropped);
      if (copy === undefined) continue;
      appendNode(top.to, copy);
      if (isTag(child) && isTag(copy)) waiting.push({ from: child, to: copy });
    }
  }
  return root;
}

function copyNode(
  node: ChildNode,
  isDropped: (element: HtmlElement) => boolean,
): ChildNode | undefined {
  if (isText(node)) return new Text(node.data);
  if (!isTag(node) || isFurniture(node) || isDropped(node)) return undefined;
  return copyOf(node);
}

function copyOf({ name, attribs }: HtmlElement): HtmlElement {
  return new Element(name, attribs);
}

/** Makes `child`, which has no parent, the last child of `parent`. */
export function appendNode(parent: HtmlElement, child: ChildNode): void {
  const last = parent.children.at(-1) ?? null;
  child.parent = parent;
  child.prev = last;
  child.next = null;
  if (last !== null) last.next = child;
  parent.children.push(child);
}

/** All ancestors of any of `elements`. */
export function holdersOf(elements: Iterable<HtmlElement>): Set<HtmlElement> {
  const holders = new Set<HtmlElement>();
  for (const element of elements) addWithAncestors(parentOf(element), holders);
  return holders;
}
