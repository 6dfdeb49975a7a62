import { isTag } from "domhandler";

import { cleanText } from "../dom/clean-text.ts";
import { findElement } from "../dom/walk.ts";
import { parseHtml } from "../dom/parse-html.ts";
import { escapeText } from "../markdown/inline-text.ts";
import { toMarkdown, toPlainText } from "../markdown/to-markdown.ts";

/** The text of a feed's entry, which is HTML or plain text, in the requested form. */
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

/** The title of an entry on one line. Only text with an end tag is HTML: other text mentions tags. */
export function headingText(
  title: string,
  baseUrl: string,
  format: "markdown" | "text" | "html",
): string {
  const text = title.includes("</") ? summaryText(title, baseUrl, "text") : cleanText(title);
  const line = text.replace(/\s+/g, " ").trim();
  return format === "text" ? line : escapeText(line);
}
