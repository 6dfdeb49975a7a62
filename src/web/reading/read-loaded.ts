import { AppError } from "../../base/errors.ts";
import { documentKind } from "../documents/document-kind.ts";
import {
  type DocumentText,
  readDocument,
  type ReadFormat,
  type ReadPdf,
} from "../documents/read-document.ts";
import { cleanText, letters, withoutControls } from "../dom/clean-text.ts";
import type { Extraction } from "../extract/page-facts.ts";
import type { LoadedPage } from "../pages/page-url.ts";
import type { PagedSyntax } from "../paging/cut-page.ts";

/** A page that was read, whole: paging comes after. */
export interface PageReading {
  readonly page: LoadedPage;
  readonly title: string;
  readonly text: string;
  readonly syntax: PagedSyntax;
  /** Sentences for the reader, those of the page included. */
  readonly notes: readonly string[];
}

/** The text of a page, with its length: enough to show another part of it. */
interface KeptText {
  readonly text: DocumentText;
  /** Characters that the extraction found in HTML; undefined for everything else. */
  readonly textChars: number | undefined;
}

/** In UTF-16 units: the largest page in one format, and a few of usual size. */
const charsMax = 16 * 1024 * 1024;

/**
 * The texts of the last long pages, so that a reader who goes on with `start` does not wait for the extraction of all
 * of it again (a second for 15,000 paragraphs). Nothing depends on it: the same page in the same format gives the same text.
 */
class KeptTexts {
  readonly #texts = new Map<string, KeptText>();
  #chars = 0;

  get(key: string): KeptText | undefined {
    const found = this.#texts.get(key);
    if (found === undefined) return undefined;
    this.#texts.delete(key);
    this.#texts.set(key, found);
    return found;
  }

  set(key: string, kept: KeptText): void {
    this.#delete(key);
    const chars = kept.text.text.length;
    if (chars > charsMax) return;
    this.#texts.set(key, kept);
    this.#chars += chars;
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= charsMax) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#chars -= this.#texts.get(key)?.text.text.length ?? 0;
    this.#texts.delete(key);
  }
}

/** A key of all that the text of a page comes from. Two bodies with one hash under one URL would be the doing of its own server. */
function textKey({ body, contentType, finalUrl }: LoadedPage, format: ReadFormat): string {
  const source = body.kind === "text" ? body.text : body.kind === "bytes" ? body.base64 : "";
  return `${format} ${contentType} ${source.length} ${Bun.hash(source)} ${finalUrl}`;
}

/**
 * Text without a first heading that says no more than the title, which is already above it. The text after it decides
 * nothing: the same text is left out of every part of a long page.
 */
export function withoutTitle(text: string, title: string): string {
  const [first = ""] = /^#? ?[^\n]*/.exec(text) ?? [];
  // Letters alone: a heading may be written with marks, a title without.
  const isTitle = letters(first) !== "" && letters(first) === letters(title);
  return isTitle ? text.slice(first.length).replace(/^\n+/, "") : text;
}

/** A page with more text than this is the page: nothing else about it need be looked at. */
const enoughTextChars = 2_000;

/** The origin of an HTML page, beside its text; undefined for everything else. */
export interface LoadedText {
  readonly reading: PageReading;
  readonly html: HtmlReading | undefined;
}

interface HtmlReading {
  /** Length of the extracted text. */
  readonly textChars: number;
  /** Where it came from, for a page of which a browser may show more. */
  readonly short?: { readonly source: string; readonly extraction: Extraction };
}

/** Texts that this thread keeps: paging through a page asks for the same text again and again. */
const keptTexts = new KeptTexts();

/**
 * Reads a loaded page of any kind.
 * @throws AppError `unsupported` for pictures, which another tool shows, and for encrypted PDFs; `usage` for broken
 * ones
 */
export async function readLoaded(
  page: LoadedPage,
  format: ReadFormat,
  readPdf: ReadPdf,
): Promise<LoadedText> {
  const kind = documentKind(page.contentType, page.finalUrl);
  if (kind.kind === "image") {
    throw new AppError(
      "unsupported",
      `${page.finalUrl} is an image (${page.contentType}). Save it to a file and use ReadImage to see it.`,
    );
  }
  const key = textKey(page, format);
  const kept = keptTexts.get(key);
  if (kept !== undefined) {
    const { text, textChars } = kept;
    const html = textChars === undefined ? undefined : { textChars };
    return { reading: finish(page, text), html };
  }
  if (kind.kind === "html") return readHtml(page, format, key);
  const text = await readDocument(page, kind, format, readPdf);
  if (text.text.length > enoughTextChars) keptTexts.set(key, { text, textChars: undefined });
  return { reading: finish(page, text), html: undefined };
}

async function readHtml(page: LoadedPage, format: ReadFormat, key: string): Promise<LoadedText> {
  const { beginningOf, startTagsMax } = await import("../dom/parse-html.ts");
  const { extractPage } = await import("../extract/extract-page.ts");
  const whole = page.body.kind === "text" ? page.body.text : "";
  const source = beginningOf(whole);
  const notes =
    source === whole
      ? []
      : [
          `The page has more than ${startTagsMax.toLocaleString("en")} elements: only its beginning was read.`,
        ];
  const extraction = await extractPage(source, page.finalUrl);
  const { title, textChars } = extraction;
  const syntax = ({ markdown: "markdown", text: "plain", html: "html" } as const)[format];
  const text = { title, text: await writeExtraction(extraction, format), syntax, notes };
  if (textChars > enoughTextChars) {
    keptTexts.set(key, { text, textChars });
    return { reading: finish(page, text), html: { textChars } };
  }
  return { reading: finish(page, text), html: { textChars, short: { source, extraction } } };
}

async function writeExtraction(extraction: Extraction, format: ReadFormat): Promise<string> {
  if (format === "html")
    return (await import("../markdown/to-clean-html.ts")).toCleanHtml(extraction);
  const { toMarkdown, toPlainText } = await import("../markdown/to-markdown.ts");
  const text = format === "text" ? toPlainText(extraction) : toMarkdown(extraction);
  return withoutTitle(text, extraction.title);
}

function finish(page: LoadedPage, { title, text, syntax, notes }: DocumentText): PageReading {
  return {
    page,
    title: oneCleanLine(title),
    text: withoutControls(text).toWellFormed(),
    syntax,
    notes: [...page.notes, ...notes].map(oneCleanLine),
  };
}

/** Titles and notes are outside of the marks; a server may have chosen their words. */
function oneCleanLine(text: string): string {
  return withoutControls(cleanText(text)).replace(/\s+/g, " ").trim();
}
