import { writeSync } from "node:fs";

import { AppError, messageOf } from "../../../base/errors.ts";
import { shownPath } from "../shown-path.ts";
import { decodeImage } from "./decode-image.ts";
import { type DecoderReply, encodeDecoderReply } from "./decoder-reply.ts";
import { watchProcess } from "./watch-process.ts";

/**
 * 100 megapixels take 400 MB decoded, and as much again where a decoder hands its pixels over. Address space cannot be
 * limited (the engine reserves far more than it uses), so the process watches what it really holds.
 */
const residentBytesMax = 1_500_000_000;
/** The parent process waits for less; this limit holds when the parent is gone. */
const decodeMsMax = 15_000;

/** The decoding process, from its argument to its end. */
export async function runDecoder(path: string | undefined, searchPath: string): Promise<number> {
  silenceConsole();
  const endWatch = watchProcess({
    residentBytesMax,
    msMax: decodeMsMax,
    tooLarge: tooLargeReply(path),
  });
  const output = await outputOf(path, searchPath);
  endWatch();
  try {
    writeAll(output);
    return 0;
  } catch {
    // The parent process has stopped reading.
    return 1;
  }
}

/** The output of libraries would end up in the reply. */
function silenceConsole(): void {
  for (const name of ["debug", "error", "info", "log", "warn"] as const) {
    console[name] = () => undefined;
  }
}

async function outputOf(path: string | undefined, searchPath: string): Promise<Uint8Array> {
  try {
    if (path === undefined) throw new AppError("usage", "No file was given.");
    const { bytes, ...image } = await decodeImage(path, searchPath);
    const head = encodeDecoderReply({ ok: true, bytes: bytes.length, ...image });
    return Buffer.concat([head, bytes]);
  } catch (error) {
    return encodeDecoderReply(failureOf(error));
  }
}

function failureOf(error: unknown): DecoderReply {
  const code = error instanceof AppError ? error.code : "system";
  return { ok: false, code, message: messageOf(error) };
}

function tooLargeReply(path = ""): string {
  const message = `${shownPath(path)} takes too much memory to decode. Make a smaller copy.`;
  return Buffer.from(encodeDecoderReply({ ok: false, code: "limit", message })).toString();
}

function writeAll(bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) offset += writeSync(1, bytes, offset);
}
