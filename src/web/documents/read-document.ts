import { formatCount } from "../../base/cut-text.ts";
import { isHeavyJson } from "../../base/weight.ts";
import { cleanText } from "../dom/clean-text.ts";
import { fenceLines } from "../markdown/inline-text.ts";
import type { LoadedPage } from "../pages/page-url.ts";
import type { PagedSyntax } from "../paging/cut-page.ts";
import { type DocumentKind, fileName } from "./document-kind.ts";
import type { Feed, FeedEntry } from "./read-feed.ts";
import type { PdfText } from "./read-pdf.ts";

export type ReadFormat = "markdown" | "text" | "html";

/** Reads the bytes of a PDF, in a process of its own. */
export type ReadPdf = (bytes: Uint8Array) => Promise<PdfText>;

/** The text of a page. */
export interface DocumentText {
  readonly title: string;
  readonly text: string;
  readonly syntax: PagedSyntax;
  readonly notes: readonly string[];
}

/** Reads everything but HTML: plain text passes with little change. `bodyText` is the decoded body. */
export async function readDocument(
  page: LoadedPage,
  kind: Exclude<DocumentKind, { kind: "html" | "image" }>,
  format: ReadFormat,
  readPdf: ReadPdf,
): Promise<DocumentText> {
  const name = fileName(page.finalUrl);
  const { body } = page;
  if (kind.kind === "pdf" && body.kind === "bytes")
    return readPdfDocument(body.base64, name, readPdf);
  if (body.kind !== "text") return unreadable(page, name);
  const text = cleanText(body.text);
  switch (kind.kind) {
    case "json":
      return source(name, prettyJson(text) ?? text, "json", format);
    case "xml":
      return readXml(text, name, page.finalUrl, format);
    case "source":
      return source(name, text, kind.language, format);
    case "markdown":
      return { title: firstHeading(text) ?? name, text, syntax: "markdown", notes: [] };
    case "plain":
    case "pdf":
    case "other":
      return { title: name, text, syntax: "plain", notes: [] };
  }
}

function source(title: string, text: string, language: string, format: ReadFormat): DocumentText {
  if (format === "text") return { title, text, syntax: "plain", notes: [] };
  const lines = fenceLines(language, text.replace(/\n+$/, ""));
  return { title, text: lines.join("\n"), syntax: "markdown", notes: [] };
}

function firstHeading(markdown: string): string | undefined {
  return /^#[ \t]+(\S.*?)[ \t#]*$/m.exec(markdown.slice(0, 10_000))?.[1];
}

async function readXml(
  text: string,
  name: string,
  url: string,
  format: ReadFormat,
): Promise<DocumentText> {
  const { readFeed } = await import("./read-feed.ts");
  const feed = readFeed(text);
  if (feed === undefined) return source(name, text, "xml", format);
  const { headingText, summaryText } = await import("./read-feed.ts");
  const entries = feed.entries.map(({ title, link, date, summary }) =>
    entryText(
      {
        title: headingText(title, url, format),
        link: wholeLink(link, url),
        date,
        summary: summaryText(summary, url, format),
      },
      format,
    ),
  );
  return {
    title: titleOf(feed, name),
    text: entries.join("\n\n"),
    syntax: format === "text" ? "plain" : "markdown",
    notes: [],
  };
}

function titleOf(feed: Feed, name: string): string {
  return feed.title === "" ? name : feed.title;
}

function entryText({ title, link, date, summary }: FeedEntry, format: ReadFormat): string {
  const heading = title === "" ? "(no title)" : title;
  const lines = [format === "text" ? heading : `## ${heading}`, link, date, summary];
  return lines.filter((line) => line !== "").join(format === "text" ? "\n" : "\n\n");
}

/** An id that begins like a path is one; ids of other kinds occur in the same place. */
function wholeLink(link: string, url: string): string {
  return /^[/.?#]/.test(link) ? (URL.parse(link, url)?.href ?? link) : link;
}

async function readPdfDocument(
  base64: string,
  name: string,
  readPdf: ReadPdf,
): Promise<DocumentText> {
  const { title, pageCount, pages } = await readPdf(Buffer.from(base64, "base64"));
  const texts = pages.map(
    (text, index) =>
      `## Page ${index + 1} of ${pageCount}\n\n${text === "" ? "(no text on this page)" : text}`,
  );
  const notes = [`PDF with ${formatCount(pageCount)} ${pageCount === 1 ? "page" : "pages"}.`];
  if (pages.length < pageCount)
    notes.push(`Only the first ${formatCount(pages.length)} pages were read.`);
  if (pages.every((text) => text === ""))
    notes.push("None of its pages contains text: they may be scanned images.");
  return {
    title: title === "" ? name : title,
    text: texts.join("\n\n"),
    syntax: "markdown",
    notes,
  };
}

function unreadable({ body, contentType }: LoadedPage, name: string): DocumentText {
  const bytes = body.kind === "none" ? body.bytes : null;
  const size = bytes === null ? "size unknown" : `${formatCount(bytes)} bytes`;
  const text = `${name} is of type ${contentType === "" ? "unknown" : contentType} (${size}), which cannot be shown as text.`;
  return { title: name, text, syntax: "plain", notes: [] };
}

/** Deeper levels are not indented further: lines would grow without an end. */
const indentLevelsMax = 40;
/** Ordinary JSON grows to twice its size; JSON of nothing but brackets and commas may grow to forty times. */
const growthMax = 8;
/** Between strings: anything but structure and white space. */
const literal = /[^\s{}[\]:,"]+/y;
const quote = 0x22;
const backslash = 0x5c;

/**
 * JSON with a line for each member. Numbers and strings stay as they are written: parsing and writing them again would
 * round long numbers. Returns undefined for text that is not JSON, has too many values, or would grow out of all
 * proportion.
 */
export function prettyJson(text: string): string | undefined {
  if (isHeavyJson(text) || !isJson(text)) return undefined;
  const charsMax = (text.length + 10_000) * growthMax;
  const out: string[] = [];
  let chars = 0;
  for (const part of prettyParts(text)) {
    chars += part.length;
    if (chars > charsMax) return undefined;
    out.push(part);
  }
  return out.join("");
}

function* prettyParts(text: string): Generator<string> {
  let depth = 0;
  let isEmpty = false;
  for (const part of tokensOf(text)) {
    const isClosing = part === "}" || part === "]";
    if (isClosing) depth--;
    if (isClosing ? !isEmpty : isEmpty) yield newline(depth);
    isEmpty = part === "{" || part === "[";
    if (isEmpty) depth++;
    yield part === ":" ? ": " : part;
    if (part === ",") yield newline(depth);
  }
}

/** The tokens of valid JSON. Strings are looked for by hand: an expression that repeats gives up on one of a few million characters. */
function* tokensOf(text: string): Generator<string> {
  let at = 0;
  while (at < text.length) {
    literal.lastIndex = at;
    const found = literal.exec(text)?.[0];
    const end = found === undefined ? endOfSign(text, at) : at + found.length;
    const part = text.slice(at, end);
    if (part.trim() !== "") yield part;
    at = end;
  }
}

/** The end of the string or of the single character that begins at `at`. */
function endOfSign(text: string, at: number): number {
  if (text.charCodeAt(at) !== quote) return at + 1;
  let end = at;
  do end = text.indexOf('"', end + 1);
  while (end !== -1 && isEscaped(text, end));
  return end === -1 ? text.length : end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

function newline(depth: number): string {
  return `\n${"  ".repeat(Math.min(depth, indentLevelsMax))}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
