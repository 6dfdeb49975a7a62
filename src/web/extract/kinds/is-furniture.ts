import type { HtmlElement } from "../../dom/parse-html.ts";
import { classTokens } from "./element-pattern.ts";

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
export function isFurniture(element: HtmlElement): boolean {
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
