import { writeSync } from "node:fs";

import { AppError, messageOf } from "../../base/errors.ts";
import { decodeImage } from "./decode-image.ts";
import { type DecoderReply, encodeDecoderReply } from "./decoder-reply.ts";

/**
 * 100 megapixels take 400 MB decoded, and as much again where a decoder hands its pixels over. Address space cannot be
 * limited (the engine reserves far more than it uses), so the process watches what it really holds.
 */
const residentBytesMax = 1_500_000_000;
const lookMs = 50;

/** The decoding process, from its argument to its end. */
export async function runDecoder(path: string | undefined, searchPath: string): Promise<number> {
  const watch = setInterval(endWhenTooLarge, lookMs);
  try {
    const { bytes, ...image } = await decodeImage(path ?? "", searchPath);
    writeAll(encodeDecoderReply({ ok: true, bytes: bytes.length, ...image }));
    writeAll(bytes);
  } catch (error) {
    writeAll(encodeDecoderReply(failureOf(error)));
  }
  clearInterval(watch);
  return 0;
}

function failureOf(error: unknown): DecoderReply {
  const code = error instanceof AppError ? error.code : "system";
  return { ok: false, code, message: messageOf(error) };
}

function endWhenTooLarge(): void {
  if (process.memoryUsage.rss() <= residentBytesMax) return;
  const message = "The image takes too much memory to decode. Make a smaller copy.";
  writeAll(encodeDecoderReply({ ok: false, code: "limit", message }));
  process.kill(process.pid, "SIGKILL");
}

function writeAll(bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) offset += writeSync(1, bytes, offset);
}
