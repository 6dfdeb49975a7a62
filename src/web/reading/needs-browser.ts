import { type Document, isTag, isText } from "domhandler";

import type { HtmlElement } from "../dom/parse-html.ts";

/** Less text than this does not make a page. */
const textCharsMin = 200;
/** A page that asks for scripts or checks its visitor says little else. */
const noticeCharsMax = 1_500;
/** Elements that applications fill, by the ids that frameworks give them. */
const applicationRoots = new Set([
  "root",
  "app",
  "__next",
  "__nuxt",
  "___gatsby",
  "svelte",
  "app-root",
  "main-app",
  "react-root",
  "application",
  "q-app",
]);
const wantsScripts =
  /(?:enable|activate|turn on|requires?|needs?|without) (?:your browser['’]s )?java ?script|java ?script (?:is|must be|has to be|to be) (?:disabled|enabled|required|turned on|activated|not enabled)|you need to enable java ?script/i;
const challenge =
  /just a moment|checking (?:if the site connection is secure|your browser)|verif(?:y|ying) (?:that )?you are (?:a )?human|attention required|ddos protection|are you (?:a )?(?:robot|human)|please complete the security check|access to this page has been denied/i;
const challengeMarkup =
  /cf-chl|challenge-platform|cf_chl_opt|px-captcha|datadome|_incapsula_|turnstile/i;
/** Markup that shows a challenge is near the start. */
const markupCharsMax = 100_000;

/** The reason why the fetched page is not the one that a browser would show. */
export type BrowserReason = "thin" | "application" | "scripts" | "challenge";

export interface FetchedText {
  readonly html: string;
  readonly document: Document;
  readonly title: string;
  /** The extracted text. */
  readonly text: string;
  readonly textChars: number;
}

/** Undefined when the fetched page is sufficient (notes: "To the browser"). */
export function reasonForBrowser(fetched: FetchedText): BrowserReason | undefined {
  const { html, document, title, text, textChars } = fetched;
  const isNotice = textChars <= noticeCharsMax;
  if (
    isNotice &&
    (challenge.test(title) ||
      challenge.test(text) ||
      challengeMarkup.test(html.slice(0, markupCharsMax)))
  )
    return "challenge";
  if (isNotice && wantsScripts.test(text)) return "scripts";
  if (hasEmptyApplication(document)) return "application";
  return textChars < textCharsMin ? "thin" : undefined;
}

/** An element that an application would fill is empty, and there are scripts. */
function hasEmptyApplication(document: Document): boolean {
  let hasScript = false;
  let hasEmptyRoot = false;
  const stack = [...document.children];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isTag(node)) continue;
    hasScript ||= node.name === "script";
    hasEmptyRoot ||= applicationRoots.has(node.attribs["id"] ?? "") && isEmpty(node);
    if (hasScript && hasEmptyRoot) return true;
    for (const child of node.children) stack.push(child);
  }
  return false;
}

/** No text and hardly an element in it: a spinner perhaps. */
function isEmpty(root: HtmlElement): boolean {
  const stack = [...root.children];
  let elements = 0;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isText(node) && node.data.trim() !== "") return false;
    if (!isTag(node) || node.name === "script" || node.name === "style" || node.name === "noscript")
      continue;
    if (++elements > 20) return false;
    stack.push(...node.children.slice(0, 20));
  }
  return true;
}
