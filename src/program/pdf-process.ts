import type { Supervisor } from "../background/supervisor.ts";
import { AppError } from "../base/errors.ts";
import type { PdfReader } from "../gateway/distant-calls.ts";
import type { ReadPdfRequest } from "../tools/web-services.ts";
import { pdfReaderArgument } from "../web/documents/pdf-reader-argument.ts";
import { readPdfReply } from "../web/documents/pdf-reply.ts";
import type { PdfText } from "../web/documents/read-pdf.ts";

/** Reading ends by itself after 15 s, between two pages; one page alone may hang. */
const readMsMax = 20_000;
/** Each may hold up to a gigabyte. */
const readersMax = 2;
/** 4 million characters, escaped as JSON. */
const replyBytesMax = 32 * 1024 * 1024;

/** Reads PDFs in processes of their own: one that hangs or swells takes nothing with it. */
export class PdfProcess implements PdfReader {
  readonly #supervisor: Pick<Supervisor, "runProgram">;
  readonly #command: readonly string[];
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param command how this program starts itself */
  constructor(supervisor: Pick<Supervisor, "runProgram">, command: readonly string[]) {
    this.#supervisor = supervisor;
    this.#command = command;
  }

  async readPdf({ path }: ReadPdfRequest, signal: AbortSignal): Promise<PdfText> {
    while (this.#running >= readersMax) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    this.#running++;
    try {
      if (signal.aborted) throw cancelled();
      return await this.#read(path, signal);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  async #read(path: string, signal: AbortSignal): Promise<PdfText> {
    const chunks: Uint8Array[] = [];
    let total = 0;
    const flood = new AbortController();
    const { endReason } = await this.#supervisor.runProgram({
      argv: [...this.#command, pdfReaderArgument, path],
      name: "PDF reader",
      cwd: "/",
      // Nothing of the user's: what reads a hostile file holds no secrets.
      env: {},
      timeoutMs: readMsMax,
      signal: AbortSignal.any([signal, flood.signal]),
      onOutput: (chunk) => {
        total += chunk.length;
        if (total > replyBytesMax) flood.abort();
        else chunks.push(chunk.slice());
      },
    });
    const reply = readPdfReply(Buffer.concat(chunks));
    if (reply?.ok === true)
      return { title: reply.title, pageCount: reply.pageCount, pages: reply.pages };
    if (reply !== undefined) throw new AppError(reply.code, reply.message);
    if (signal.aborted) throw cancelled();
    const what =
      endReason === "timeout"
        ? `took longer than ${readMsMax / 1000} s to read`
        : "ended the process that read it";
    throw new AppError("system", `The PDF ${what}. It is probably damaged.`);
  }
}

function cancelled(): AppError {
  return new AppError("cancelled", "The call was cancelled.");
}
