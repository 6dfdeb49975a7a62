import type { Supervisor } from "../commands/background/supervisor.ts";
import { AppError } from "../base/errors.ts";
import type { ImageConverter } from "../calls/router/distant-calls.ts";
import { readDecoderReply } from "../tools/images/decode/decoder-reply.ts";
import { decoderArgument } from "../tools/images/decoder-argument.ts";
import { imageResultBytesMax } from "../tools/images/image-limits.ts";
import { shownPath } from "../tools/images/shown-path.ts";
import type { ConvertedImage, ConvertImageRequest } from "../tools/web-services.ts";
import { OwnProcess } from "./own-process.ts";

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
