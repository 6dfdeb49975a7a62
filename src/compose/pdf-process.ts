import type { Supervisor } from "../commands/background/supervisor.ts";
import { AppError } from "../base/errors.ts";
import type { PdfReader } from "../calls/router/distant-calls.ts";
import type { ReadPdfRequest } from "../tools/web-services.ts";
import { pdfReaderArgument } from "../web/documents/pdf-reader-argument.ts";
import { readPdfReply } from "../web/documents/pdf-reply.ts";
import type { PdfText } from "../web/documents/read-pdf.ts";
import { OwnProcess } from "./own-process.ts";

/** Reading ends by itself after 15 s, between two pages; one page alone may hang. */
const readMsMax = 20_000;
/** 4 million characters, escaped as JSON. */
const replyBytesMax = 32 * 1024 * 1024;

/** Reads PDFs in processes of their own. */
export class PdfProcess implements PdfReader {
  readonly #process: OwnProcess;

  /** @param command how this program starts itself */
  constructor(supervisor: Pick<Supervisor, "runProgram">, command: readonly string[]) {
    this.#process = new OwnProcess(supervisor, command, {
      name: "PDF reader",
      argument: pdfReaderArgument,
      env: {},
      msMax: readMsMax,
      replyBytesMax,
    });
  }

  async readPdf({ path }: ReadPdfRequest, signal: AbortSignal): Promise<PdfText> {
    const { output, execution } = await this.#process.run(path, signal);
    const reply = readPdfReply(output);
    if (reply?.ok === true) {
      return { title: reply.title, pageCount: reply.pageCount, pages: reply.pages };
    }
    if (reply !== undefined) throw new AppError(reply.code, reply.message);
    const what =
      execution.endReason === "timeout"
        ? `took longer than ${readMsMax / 1000} s to read`
        : "ended the process that read it";
    throw new AppError("system", `The PDF ${what}. It is probably damaged.`);
  }
}
