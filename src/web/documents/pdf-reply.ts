import type { AppErrorCode } from "../../base/errors.ts";
import type { PdfText } from "./read-pdf.ts";

/** The output of the process that reads a PDF: one line of JSON, and nothing else. */
export type PdfReply =
  | ({ readonly ok: true } & PdfText)
  | { readonly ok: false; readonly code: AppErrorCode; readonly message: string };

export function encodePdfReply(reply: PdfReply): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(reply)}\n`);
}

/** Undefined when it is not whole, or there is anything else with it (the report of a crash). */
export function readPdfReply(output: Uint8Array): PdfReply | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(output)) as PdfReply;
  } catch {
    return undefined;
  }
}
