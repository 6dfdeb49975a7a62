import type { HtmlElement } from "./parse-html.ts";
import { findElement, hasClass, parentOf, shortText } from "./element.ts";

const permalinkClass =
  /(?:^|\s)(?:headerlink|header-?anchor|header-?link|hash-?link|heading-?anchor|heading-?link|anchor(?:-?link|js-link|-heading|-?icon)?|permalink|perma-?link|direct-link|self-link|section-link|mark|doc-anchor|octicon-link|deep-link|bookmark-link)(?:\s|$)/i;
const headerLinkClass =
  /(?:^|\s)(?:headerlink|header-?anchor|hash-?link|anchorjs-link|permalink)(?:\s|$)/i;
const permalinkText =
  /^(?:(?:[\s#¶§⚓∞⌘•⁋]|🔗|\ufe0e|\ufe0f|\u200b)*|permalink.*|permanent link.*|link to (?:this|heading|section).*|anchor(?: link.*)?|direct link to .*|copy link.*|section titled .*)$/iu;
/** Signs of generators' buttons and lines, whole texts of an element. */
const furnitureText =
  /^(?:copy(?: code)?(?: to clipboard| page| link| block| snippet| sample| example)?|copied!?|skip to (?:main )?content|edit this page(?: on github)?|was this page helpful\??|(?:expand|collapse)(?: code| all| description| sidebar)?|show (?:more|less|details)|hide details|toggle word wrap|report code(?: block)?|open in playground|run ▶?|try it)$/i;
const furnitureClass =
  /(?:^|\s)(?:mw-editsection|copybtn|copy-button|copy-btn|copy-code(?:-button)?|btn-clipboard|btn-copy|clipboard-button|zeroclipboard-container|edit-this-page|noprint)(?:\s|$)/i;
const furnitureCharsMax = 40;

/** True for a link beside a heading that leads to the heading itself. */
export function isPermalink(link: HtmlElement, isInHeading: boolean): boolean {
  const href = link.attribs["href"] ?? "";
  if (!href.includes("#")) return false;
  const text = shortText(link, 80);
  // A sign of a badly decoded page is two signs.
  if (text !== undefined && text.length <= 2 && hasClass(link, headerLinkClass)) return true;
  if (text === undefined || !permalinkText.test(text)) return false;
  // The sign itself, in an index of signs.
  if (text !== "" && findElement(link, ({ name }) => name === "code") !== undefined) return false;
  return text !== "" || isInHeading || hasClass(link, permalinkClass);
}

/** True for what documentation generators and sites put beside the text for the mouse: buttons, links for editing. */
export function isFurniture(element: HtmlElement): boolean {
  if (hasClass(element, furnitureClass)) return shortText(element, 100) !== undefined;
  const { name } = element;
  if (name === "clipboard-copy") return true;
  if (!["button", "a", "span", "div", "p", "label", "summary"].includes(name)) return false;
  if (element.children.length > 8) return false;
  const text = shortText(element, furnitureCharsMax);
  if (text === undefined || !furnitureText.test(text)) return false;
  return name !== "span" || parentOf(element)?.name !== "p";
}
