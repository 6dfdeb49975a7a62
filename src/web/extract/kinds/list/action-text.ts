import type { HtmlElement } from "../../../dom/parse-html.ts";
import type { TextMeasure } from "../../text-measure.ts";
import { shortText } from "../short-text.ts";

/** The longest of the words below is shorter. */
const actionCharsMax = 32;

/** The texts of links and labels of a shop, a list or a thread that act instead of inform. */
const action =
  /^(?:add(?: to)? (?:my )?(?:cart|basket|bag|wish ?-?list|list|compare|favou?rites|part list)|quick (?:view|shop|add|look)|(?:shop|buy|view|learn|read|show|see|load|tell me|find out) (?:now|more|all|details|product|products|less|it now|options)|select options|choose options|compare|go back|back to top|back|close|loading(?:\.{3}|…)?|please wait|sign in|log ?in|sponsored|share|print|save|skip to (?:main )?content|click to (?:expand|shrink)(?:\.{3}|…)?|reply|quote|report|like|permalink|copy link|edit|sort by:?|filters?|clear all|apply|next|previous|prev|menu|search)$/i;

/** True for a part that says nothing but what could be done with a click. */
export function isActionText(element: HtmlElement, { chars }: TextMeasure): boolean {
  if (chars === 0 || chars > actionCharsMax) return false;
  return action.test(shortText(element, actionCharsMax));
}
