import { isTag } from "domhandler";

import { parseHtml } from "../dom/parse-html.ts";
import { cleanText } from "../markdown/clean-text.ts";
import { findElement } from "../markdown/element.ts";
import { toMarkdown, toPlainText } from "../markdown/to-markdown.ts";

/** What an entry of a feed says, which is HTML or text, in the form that was asked for. */
export function summaryText(
  summary: string,
  baseUrl: string,
  format: "markdown" | "text" | "html",
): string {
  if (!/[<&]/.test(summary)) return cleanText(summary).trim();
  const html = parseHtml(summary).children.find(isTag);
  const root = html === undefined ? undefined : findElement(html, ({ name }) => name === "body");
  if (root === undefined) return "";
  const extraction = { title: "", language: "", root, baseUrl, textChars: 0 };
  return format === "text" ? toPlainText(extraction) : toMarkdown(extraction);
}
