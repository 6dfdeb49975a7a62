import type { Supervisor } from "../background/supervisor.ts";
import { AppError } from "../base/errors.ts";
import { Places } from "../base/places.ts";
import type { ImageConverter } from "../gateway/distant-calls.ts";
import { readDecoderReply } from "../images/decode/decoder-reply.ts";
import { decoderArgument } from "../images/decoder-argument.ts";
import { imageResultBytesMax } from "../images/image-limits.ts";
import { shownPath } from "../images/shown-path.ts";
import type { ConvertedImage, ConvertImageRequest } from "../tools/web-services.ts";

/** 100 megapixels take 3 s on a slow machine. */
const decodeMsMax = 10_000;
/** Each may hold more than a gigabyte. */
const decodersMax = 2;
const replyLineBytesMax = 64 * 1024;

/** Decodes images in processes of their own: a decoder that crashes, hangs or swells takes nothing with it. */
export class ImageDecoder implements ImageConverter {
  readonly #supervisor: Pick<Supervisor, "runProgram">;
  readonly #command: readonly string[];
  readonly #places = new Places(decodersMax);

  /** @param command how this program starts itself */
  constructor(supervisor: Pick<Supervisor, "runProgram">, command: readonly string[]) {
    this.#supervisor = supervisor;
    this.#command = command;
  }

  async convert({ path }: ConvertImageRequest, signal: AbortSignal): Promise<ConvertedImage> {
    try {
      return await this.#places.hold(signal, () => this.#decode(path, signal));
    } catch (error) {
      throw signal.aborted ? cancelled() : error;
    }
  }

  async #decode(path: string, signal: AbortSignal): Promise<ConvertedImage> {
    const chunks: Uint8Array[] = [];
    let total = 0;
    const flood = new AbortController();
    const execution = await this.#supervisor.runProgram({
      argv: [...this.#command, decoderArgument, path],
      name: "image decoder",
      cwd: "/",
      // Nothing of the user's: what decodes a hostile file holds no secrets. PATH finds a renderer for SVG.
      env: { PATH: process.env["PATH"] ?? "" },
      timeoutMs: decodeMsMax,
      signal: AbortSignal.any([signal, flood.signal]),
      onOutput: (chunk) => {
        total += chunk.length;
        if (total > imageResultBytesMax + replyLineBytesMax) flood.abort();
        else chunks.push(chunk.slice());
      },
    });
    const found = readDecoderReply(Buffer.concat(chunks));
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
  if (reason !== undefined) return cancelled();
  const how = exit?.signal ?? `exit code ${exit?.exitCode ?? "unknown"}`;
  const message = `${shownPath(path)} could not be decoded: the decoder ended with ${how}. The file is probably damaged.`;
  return new AppError("system", message);
}

function cancelled(): AppError {
  return new AppError("cancelled", "The call was cancelled.");
}
