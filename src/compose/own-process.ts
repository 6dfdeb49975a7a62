import { AppError, cancelledError } from "../base/errors.ts";
import { decoderArgument, pdfReaderArgument } from "../base/product.ts";
import { Turns } from "../base/turns.ts";
import type { ImageConverter, PdfReader } from "../calls/router/distant-calls.ts";
import type { Execution } from "../commands/background/execution.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import { readDecoderReply } from "../tools/images/decode/decoder-reply.ts";
import { shownPath } from "../tools/images/image-file.ts";
import { imageResultBytesMax } from "../tools/images/image-format.ts";
import type { ConvertedImage, ConvertImageRequest, ReadPdfRequest } from "../tools/web-services.ts";
import { type PdfText, readPdfReply } from "../web/documents/read-pdf.ts";

/** Each may hold more than a gigabyte. */
const processesMax = 2;

interface OwnProcessSpec {
  /** The task of the process, for people. */
  readonly name: string;
  /** The hidden argument that makes this program do it. */
  readonly argument: string;
  /** Only the needed variables of the user: a process that reads a hostile file has no secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly msMax: number;
  /** A longer reply ends the process. */
  readonly replyBytesMax: number;
}

/** Starts this program itself for work that may crash, hang or swell: then it takes nothing with it. */
class OwnProcess {
  readonly #supervisor: Pick<Supervisor, "runProgram">;
  readonly #command: readonly string[];
  readonly #spec: OwnProcessSpec;
  readonly #turns = new Turns(processesMax);

  /** @param command how this program starts itself */
  constructor(
    supervisor: Pick<Supervisor, "runProgram">,
    command: readonly string[],
    spec: OwnProcessSpec,
  ) {
    this.#supervisor = supervisor;
    this.#command = command;
    this.#spec = spec;
  }

  /**
   * Hands `path` to a process of its own and gives all that it wrote, and how it ended.
   * @throws AppError `cancelled` when `signal` aborts, also while it waits for its turn; `system` when it cannot be started
   */
  async run(
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly output: Uint8Array; readonly execution: Execution }> {
    using _turn = await this.#turns.take(signal);
    const done = await this.#collect(path, signal);
    if (signal.aborted) throw cancelledError();
    return done;
  }

  async #collect(
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly output: Uint8Array; readonly execution: Execution }> {
    const { name, argument, env, msMax, replyBytesMax } = this.#spec;
    const chunks: Uint8Array[] = [];
    let total = 0;
    const flood = new AbortController();
    const execution = await this.#supervisor.runProgram({
      argv: [...this.#command, argument, path],
      name,
      cwd: "/",
      env,
      timeoutMs: msMax,
      signal: AbortSignal.any([signal, flood.signal]),
      onOutput: (chunk) => {
        total += chunk.length;
        if (total > replyBytesMax) flood.abort();
        else chunks.push(chunk.slice());
      },
    });
    return { output: Buffer.concat(chunks), execution };
  }
}

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
      // The last tier of the engine\'s compiler takes a fifth of a document\'s time and is paid back after minutes.
      env: { BUN_JSC_useFTLJIT: "0" },
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

/** 100 megapixels take 3 s on a slow machine. */
const decodeMsMax = 10_000;
const replyLineBytesMax = 64 * 1024;

/** Decodes images in processes of their own. */
export class ImageDecoder implements ImageConverter {
  readonly #process: OwnProcess;

  /** @param command how this program starts itself */
  constructor(supervisor: Pick<Supervisor, "runProgram">, command: readonly string[]) {
    this.#process = new OwnProcess(supervisor, command, {
      name: "image decoder",
      argument: decoderArgument,
      // PATH finds a renderer for SVG.
      env: { PATH: process.env["PATH"] ?? "" },
      msMax: decodeMsMax,
      replyBytesMax: imageResultBytesMax + replyLineBytesMax,
    });
  }

  async convert({ path }: ConvertImageRequest, signal: AbortSignal): Promise<ConvertedImage> {
    const { output, execution } = await this.#process.run(path, signal);
    const found = readDecoderReply(output);
    if (found === undefined) throw decoderFailed(path, execution.endReason, execution.exit);
    const { reply, image } = found;
    if (!reply.ok) throw new AppError(reply.code, reply.message);
    const { mimeType, width, height, changes } = reply;
    return { base64: Buffer.from(image).toString("base64"), mimeType, width, height, changes };
  }
}

function decoderFailed(
  path: string,
  reason: string | undefined,
  exit: { readonly exitCode: number | null; readonly signal: string | null } | undefined,
): AppError {
  if (reason === "timeout") {
    const seconds = decodeMsMax / 1000;
    return new AppError(
      "limit",
      `${shownPath(path)} could not be decoded within ${seconds} s. Make a smaller copy.`,
    );
  }
  const how = exit?.signal ?? `exit code ${exit?.exitCode ?? "unknown"}`;
  const message = `${shownPath(path)} could not be decoded: the decoder ended with ${how}. The file is probably damaged.`;
  return new AppError("system", message);
}
