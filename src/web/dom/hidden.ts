import type { HtmlElement } from "./parse-html.ts";
import { hasClass } from "./element.ts";

const invisibleStyle =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:\.0+)?(?:[a-z%]*)\s*(?:!|;|$)|opacity\s*:\s*0(?:\.0+)?\s*(?:!|;|$))/i;
const panelClass = /(?:^|[\s_-])tab-?(?:pane|panel|content|item)?s?(?:[\s_-]|$)|tabpanel|tabbed/i;
/** Visible to screen readers alone: such text repeats what others see. */
const screenReaderClass =
  /(?:^|\s)(?:sr-only|visually-hidden|visuallyhidden|screen-reader-text|screenreader|assistive-text|cdk-visually-hidden|a11y-hidden|mjx-?assistive[\w-]*)(?:\s|$)/i;

/**
 * True for an element that no reader of the page sees. Content that a click on a tab or a heading would show is treated
 * as seen.
 */
export function isHidden(element: HtmlElement): boolean {
  const { hidden, style } = element.attribs;
  const isOff =
    (hidden !== undefined && hidden !== "until-found") ||
    element.attribs["aria-hidden"]?.toLowerCase() === "true" ||
    (style !== undefined && invisibleStyle.test(style));
  if (isOff) return !isPanel(element);
  return hasClass(element, screenReaderClass) && !/^h[1-6]$/.test(element.name);
}

function isPanel(element: HtmlElement): boolean {
  return element.attribs["role"] === "tabpanel" || hasClass(element, panelClass);
}
