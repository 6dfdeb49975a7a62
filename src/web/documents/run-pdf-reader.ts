import { readFileSync, writeSync } from "node:fs";

import { AppError, messageOf } from "../../base/errors.ts";
import { encodePdfReply, type PdfReply, readPdf } from "./read-pdf.ts";

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
  writeAll(encodePdfReply(reply));
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
      writeSync(1, ${JSON.stringify(`${JSON.stringify(tooLarge)}\n`)});
      process.kill(process.pid, "SIGKILL");
    }, ${lookMs});`;
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  return new Worker(url);
}

function writeAll(bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) offset += writeSync(1, bytes, offset);
}
