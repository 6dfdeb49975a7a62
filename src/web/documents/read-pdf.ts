import { readFileSync } from "node:fs";
import { AppError, type AppErrorCode, messageOf } from "../../base/errors.ts";
import { replyLine, writeReply } from "../../base/process-reply.ts";
import { parseOwnJson } from "../../base/values.ts";
import { cleanText } from "../dom/clean-text.ts";

/** Longer books are read up to here: the rest would take minutes. */
const pagesMax = 1_000;
/** Characters of text, some thousand pages of a novel. */
const charsMax = 4 * 1024 * 1024;
/** A Worker may work for 30 s; the pages read in that time are returned. */
const readMsMax = 15_000;

export interface PdfText {
  readonly title: string;
  readonly pageCount: number;
  /** Text of each page that was read, from the first on. */
  readonly pages: readonly string[];
}

/**
 * The text of a PDF, page by page.
 * @throws AppError `unsupported` when it is encrypted, `usage` when it is broken
 */
export async function readPdf(bytes: Uint8Array): Promise<PdfText> {
  const { getDocument } = await import("unpdf/pdfjs");
  const quiet = { verbosity: 0, isEvalSupported: false, stopAtErrors: false };
  const loading = getDocument({ data: Uint8Array.from(bytes), useSystemFonts: true, ...quiet });
  const document = await loading.promise.catch((error: unknown) => {
    throw pdfError(error);
  });
  try {
    const metadata = await document.getMetadata().catch(() => undefined);
    const info: { Title?: unknown } = metadata?.info ?? {};
    const title = typeof info.Title === "string" ? cleanText(info.Title).trim() : "";
    return { title, pageCount: document.numPages, pages: await readPages(document) };
  } finally {
    await document.loadingTask.destroy().catch(() => undefined);
  }
}

interface PdfDocument {
  readonly numPages: number;
  getPage(number: number): Promise<{
    getTextContent(): Promise<{ items: readonly object[] }>;
    cleanup(): unknown;
  }>;
}

async function readPages(document: PdfDocument): Promise<string[]> {
  const pages: string[] = [];
  const deadline = performance.now() + readMsMax;
  let chars = 0;
  for (let number = 1; number <= Math.min(document.numPages, pagesMax); number++) {
    const text = await readOne(document, number);
    pages.push(text);
    chars += text.length;
    if (chars > charsMax || performance.now() > deadline) break;
  }
  return pages;
}

/** A page that cannot be read is empty: the others can. */
async function readOne(document: PdfDocument, number: number): Promise<string> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map(itemText).join("");
    page.cleanup();
    return cleanText(text)
      .replace(/[ \t]+$/gm, "")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  } catch {
    return "";
  }
}

function itemText(item: object): string {
  if (!("str" in item) || typeof item.str !== "string") return "";
  return "hasEOL" in item && item.hasEOL === true ? `${item.str}\n` : item.str;
}

function pdfError(error: unknown): AppError {
  const name = error instanceof Error ? error.name : "";
  if (name === "PasswordException") {
    return new AppError(
      "unsupported",
      "The PDF is encrypted and needs a password, so it cannot be read.",
      { cause: error },
    );
  }
  return new AppError("usage", `The PDF is broken and cannot be read: ${messageOf(error)}`, {
    cause: error,
  });
}

/** The output of the process that reads a PDF: one line of JSON, and nothing else. */
export type PdfReply =
  | ({ readonly ok: true } & PdfText)
  | { readonly ok: false; readonly code: AppErrorCode; readonly message: string };

/** Undefined when it is not whole, or there is anything else with it (the report of a crash). */
export function readPdfReply(output: Uint8Array): PdfReply | undefined {
  try {
    return parseOwnJson(new TextDecoder().decode(output));
  } catch {
    return undefined;
  }
}

/** A PDF of 10 MiB can unpack to gigabytes; an ordinary one takes 300 MB to read. */
const residentBytesMax = 1_000_000_000;
const lookMs = 50;
const tooLarge: PdfReply = {
  ok: false,
  code: "limit",
  message: "The PDF takes too much memory to read: it unpacks to more than any document does.",
};

/** The process that reads a PDF, from its argument to its end. */
export async function runPdfReader(path: string | undefined): Promise<number> {
  const watch = startWatch();
  const reply = await readReply(path ?? "");
  watch.terminate();
  writeReply(Buffer.from(replyLine(reply)));
  return 0;
}

async function readReply(path: string): Promise<PdfReply> {
  try {
    return { ok: true, ...(await readPdf(new Uint8Array(readFileSync(path)))) };
  } catch (error) {
    const code = error instanceof AppError ? error.code : "system";
    return { ok: false, code, message: messageOf(error) };
  }
}

/**
 * Unpacking does not let timers run, so another thread looks how much this process holds. It ends it with the reply that
 * says why.
 */
function startWatch(): Worker {
  const code = `
    const { writeSync } = require("node:fs");
    setInterval(() => {
      if (process.memoryUsage.rss() <= ${residentBytesMax}) return;
      writeSync(1, ${JSON.stringify(replyLine(tooLarge))});
      process.kill(process.pid, "SIGKILL");
    }, ${lookMs});`;
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  return new Worker(url);
}
