import { AppError } from "../../base/errors.ts";
import { documentKind } from "../documents/document-kind.ts";
import {
  type DocumentText,
  readDocument,
  type ReadFormat,
  type ReadPdf,
} from "../documents/read-document.ts";
import type { Extraction } from "../extract/extraction.ts";
import type { LoadedPage } from "../loaded-page.ts";
import { cleanText, withoutControls } from "../markdown/clean-text.ts";
import type { PageReading } from "./page-reading.ts";

/** The extraction of a page in HTML beside what it says; undefined for everything else. */
export interface LoadedText {
  readonly reading: PageReading;
  readonly html: { readonly source: string; readonly extraction: Extraction } | undefined;
}

/**
 * Reads what was loaded, whatever it is.
 * @throws AppError `unsupported` for pictures, which another tool shows, and for encrypted PDFs; `usage` for broken ones
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
  if (kind.kind !== "html")
    return {
      reading: finish(page, await readDocument(page, kind, format, readPdf)),
      html: undefined,
    };
  const source = page.body.kind === "text" ? page.body.text : "";
  const { extractPage } = await import("../extract/extract-page.ts");
  const extraction = await extractPage(source, page.finalUrl);
  const text = await writeExtraction(extraction, format);
  const syntax = ({ markdown: "markdown", text: "plain", html: "html" } as const)[format];
  const reading = finish(page, { title: extraction.title, text, syntax, notes: [] });
  return { reading, html: { source, extraction } };
}

async function writeExtraction(extraction: Extraction, format: ReadFormat): Promise<string> {
  if (format === "html")
    return (await import("../markdown/to-clean-html.ts")).toCleanHtml(extraction);
  const { toMarkdown, toPlainText } = await import("../markdown/to-markdown.ts");
  return format === "text" ? toPlainText(extraction) : toMarkdown(extraction);
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

/** Titles and notes stand outside of the marks; a server may have chosen their words. */
function oneCleanLine(text: string): string {
  return withoutControls(cleanText(text)).replace(/\s+/g, " ").trim();
}
